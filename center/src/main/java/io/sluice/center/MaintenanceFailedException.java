package io.sluice.center;

/** Maintenance of a center's data failed. The message is one line that says what is wrong and what to do. */
public final class MaintenanceFailedException extends Exception {

    private static final long serialVersionUID = 1;

    MaintenanceFailedException(String message) {
        super(message);
    }

    MaintenanceFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
