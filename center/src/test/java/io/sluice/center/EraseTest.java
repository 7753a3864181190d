package io.sluice.center;

/** Erasing a subject on SQLite. */
class EraseTest extends EraseContract {

    @Override
    String emptyDatabase() {
        return "";
    }
}
