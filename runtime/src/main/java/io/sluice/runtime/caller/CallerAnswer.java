package io.sluice.runtime.caller;

import java.util.Optional;

/**
 * The answer to a question about a caller.
 *
 * @param id the id of the question
 * @param content JSON: the reply of {@code POST /v1/explain} with masked values, or the attributes of the caller; empty if this process
 *     does not know the caller
 */
public record CallerAnswer(long id, Optional<String> content) {

    @Override
    public String toString() {
        // The content may identify the caller.
        return "CallerAnswer(" + id + ")";
    }
}
