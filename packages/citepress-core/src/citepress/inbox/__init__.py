"""The moderated inbox: what agents may propose, how it is reviewed, and how it enters the content."""
