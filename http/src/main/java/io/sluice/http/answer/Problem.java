package io.sluice.http.answer;

import io.sluice.rules.json.JsonLine;

/**
 * A problem with a request that no rule refused, in the format of RFC 9457. Immutable.
 *
 * @param detail a text of Sluice, which never contains input of the caller
 */
public record Problem(int status, String detail) {

    /** The content type of {@link #json()}. */
    public static final String CONTENT_TYPE = "application/problem+json";

    /** Returns {@code type}, {@code title}, {@code status} and {@code detail} as JSON. */
    public String json() {
        return new JsonLine()
                .begin()
                .field("type", "about:blank")
                .field("title", title(status))
                .field("status", status)
                .field("detail", detail)
                .end()
                .toString();
    }

    private static String title(int status) {
        return switch (status) {
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 408 -> "Request Timeout";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 417 -> "Expectation Failed";
            case 421 -> "Misdirected Request";
            case 429 -> "Too Many Requests";
            case 431 -> "Request Header Fields Too Large";
            case 501 -> "Not Implemented";
            case 502 -> "Bad Gateway";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            case 505 -> "HTTP Version Not Supported";
            default -> "Internal Server Error";
        };
    }
}
