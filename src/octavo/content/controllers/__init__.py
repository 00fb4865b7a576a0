"""The core actions, for every door: may they, what exactly is asked, plan it, run it."""
