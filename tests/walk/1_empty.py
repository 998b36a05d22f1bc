from assay_driver import Driver, Session, serve


class TinyQueue(Driver):
    name = "tiny-queue"

    def open(self, session, role):
        return Session()


if __name__ == "__main__":
    serve(TinyQueue())
