package io.sluice.node.gateway.exchange;

import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** What a request is called in logs, here and behind. */
public final class RequestId {

    private static final int LONGEST = 128;
    private static final char[] DIGITS = "0123456789abcdef".toCharArray();
    private static final int NEW = 24;
    private static final int FIRST = 16;

    private RequestId() {}

    /** That of the caller if there is one that can stand in a log as it is; else a new one, which is not meant to be a secret. */
    public static String of(HttpServerRequest request) {
        String given = request.getHeader(OwnAnswer.REQUEST_ID);
        if (given != null && isSane(given)) {
            List<String> all = request.headers().getAll(OwnAnswer.REQUEST_ID);
            if (all.size() == 1) {
                return given;
            }
        }
        char[] id = new char[NEW];
        ThreadLocalRandom random = ThreadLocalRandom.current();
        write(random.nextLong(), id, 0, FIRST);
        write(random.nextLong(), id, FIRST, NEW);
        return new String(id);
    }

    private static void write(long bits, char[] id, int from, int to) {
        long rest = bits;
        for (int i = from; i < to; i++) {
            id[i] = DIGITS[(int) (rest & 0xf)];
            rest >>>= 4;
        }
    }

    private static boolean isSane(String id) {
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!letter && c != '.' && c != '_' && c != '-') {
                return false;
            }
        }
        return !id.isEmpty() && id.length() <= LONGEST;
    }
}
