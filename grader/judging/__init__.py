"""What tests are written with, who decides, and who names a wrong answer."""
