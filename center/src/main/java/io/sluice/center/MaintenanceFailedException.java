package io.sluice.center;

/** Thrown if the maintenance of a center's data failed. The message is one line that names the problem and its solution. */
public final class MaintenanceFailedException extends Exception {

    private static final long serialVersionUID = 1;

    MaintenanceFailedException(String message) {
        super(message);
    }

    MaintenanceFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
