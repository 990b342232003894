"""A class: its folder, and all that is done with what students hand in."""
