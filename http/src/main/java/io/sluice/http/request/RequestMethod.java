package io.sluice.http.request;

/** Checks the method of a request. */
public final class RequestMethod {

    private static final int LONGEST = 32;

    private RequestMethod() {}

    /**
     * Returns the method. Servers differ in whether lower case is a different method, so only capital letters are accepted.
     *
     * @throws RefusedRequestException if it is not in capital letters
     */
    public static String read(String method) throws RefusedRequestException {
        boolean capitals = !method.isEmpty() && method.length() <= LONGEST;
        for (int i = 0; i < method.length() && capitals; i++) {
            capitals = method.charAt(i) >= 'A' && method.charAt(i) <= 'Z';
        }
        if (!capitals) {
            throw RefusedRequestException.bad("method: invalid (expected: capital letters, such as GET)");
        }
        return method;
    }
}
