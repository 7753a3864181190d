package io.sluice.rules.internal;

/** The one place where paths are brought into the form in which rules compare them. For now: as they are given. */
public final class RequestPath {

    private RequestPath() {}

    public static String normalised(String path) {
        return path;
    }
}
