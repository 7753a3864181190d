package io.sluice.center.govern;

import io.sluice.center.access.Access;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.refusal.RefusedException;
import jakarta.servlet.http.HttpServletRequest;
import tools.jackson.databind.JsonNode;

/** The field {@code emergency} of a request. */
final class EmergencyRequest {

    private static final String NEEDED =
            "this needs a password, passkey or sign-in that is at most 5 minutes old; present it again and repeat";

    private EmergencyRequest() {}

    /** Returns whether a request asks to act without approval. Refuses unless the caller is a person with a fresh factor. */
    static boolean isMeant(JsonNode body, HttpServletRequest request) {
        if (!RequestBody.flag(body, "emergency", false)) {
            return false;
        }
        if (!(request.getAttribute(CurrentAccess.ACCESS) instanceof Access access && access.isPerson())) {
            throw RefusedException.forbidden(NEEDED);
        }
        if (!Boolean.TRUE.equals(request.getAttribute(CurrentAccess.FRESH))) {
            throw RefusedException.notFresh(NEEDED);
        }
        return true;
    }
}
