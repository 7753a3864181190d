package io.sluice.http.request;

/** The one form of a request's method. */
public final class RequestMethod {

    private static final int LONGEST = 32;

    private RequestMethod() {}

    /**
     * The method itself. Servers differ in whether small letters are another method, so there are none.
     *
     * @throws RefusedRequestException if it is not in capital letters
     */
    public static String read(String method) throws RefusedRequestException {
        boolean capitals = !method.isEmpty() && method.length() <= LONGEST;
        for (int i = 0; i < method.length() && capitals; i++) {
            capitals = method.charAt(i) >= 'A' && method.charAt(i) <= 'Z';
        }
        if (!capitals) {
            throw RefusedRequestException.bad("method: not a known form (expected: capital letters, such as GET)");
        }
        return method;
    }
}
