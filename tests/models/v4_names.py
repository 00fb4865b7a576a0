"""File names in Strapi v4's storage: a hash, and the uploaded name from its last dot."""

from typing import Final

V4_NAMES: Final = (
    "Dr_1a2b3c4d5e. Müller",
    "Report_v1_1a2b3c4d5e.2 final",
    "x_1a2b3c4d5e.pdf (1)",
    "scan_1a2b3c4d5e.pdf ",
    "a_1a2b3c4d5e.文档",
    "photo_1a2b3c4d5e.jpg@2x",
    "Screenshot_9_41_1a2b3c4d5e.00\u202fAM",
    "what_1a2b3c4d5e.is this?",
    "sale_1a2b3c4d5e.50% off #1",
)
