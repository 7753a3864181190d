package io.sluice.center.http;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/** Writes {@code application/problem+json} outside of controllers. */
public final class Problem {

    private Problem() {}

    public static void write(HttpServletResponse response, int status, String title, String detail) throws IOException {
        write(response, status, title, detail, Map.of());
    }

    /**
     * Writes a problem with further fields.
     *
     * @param more the further fields
     */
    public static void write(HttpServletResponse response, int status, String title, String detail, Map<String, ?> more)
            throws IOException {
        response.setStatus(status);
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        Map<String, Object> fields = new LinkedHashMap<>(more);
        fields.putAll(Map.of("title", title, "status", status, "detail", detail));
        response.getOutputStream()
                .write(JsonMapper.shared().writeValueAsString(fields).getBytes(StandardCharsets.UTF_8));
    }
}
