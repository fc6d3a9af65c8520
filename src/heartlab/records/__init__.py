"""Records of deals: `format` is the value and its text forms, `reader` reads files, `replay` steps through them,
`position` shows one decision of a recorded deal.
"""
