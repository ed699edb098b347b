"""`python -m keras_absa`: the same as the command `keras-absa`."""

from keras_absa.cli import main

if __name__ == "__main__":
    main()
