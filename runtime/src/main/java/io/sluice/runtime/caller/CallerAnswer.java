package io.sluice.runtime.caller;

import java.util.Optional;

/**
 * The answer to a question about a caller.
 *
 * @param id of the question
 * @param content JSON: what {@code POST /v1/explain} answers with masked values, or the attributes of the caller; empty if this process
 *     does not know the caller
 */
public record CallerAnswer(long id, Optional<String> content) {

    @Override
    public String toString() {
        // The content may tell who the caller is.
        return "CallerAnswer(" + id + ")";
    }
}
