package io.sluice.spring.web.servlet;

import io.sluice.rules.pattern.Address;
import io.sluice.spring.web.IncomingRequest;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request as the container received it. Target, address and headers are taken from the innermost request, because wrappers
 * may trust headers that any caller can send. For example, Spring's {@code ForwardedHeaderFilter} applies {@code
 * X-Forwarded-Prefix}, which would move a path out of its limits. Method and principal are taken from the outermost request,
 * because filters choose them.
 */
final class ServletIncoming implements IncomingRequest {

    private final HttpServletRequest request;
    private final HttpServletRequest bare;

    ServletIncoming(HttpServletRequest request) {
        this.request = request;
        this.bare = bare(request);
    }

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String target() {
        String path = bare.getRequestURI().isEmpty() ? "/" : bare.getRequestURI();
        String query = bare.getQueryString();
        return query == null ? path : path + "?" + query;
    }

    @Override
    public List<String> headers(String name) {
        Enumeration<String> lines = bare.getHeaders(name);
        return lines == null ? List.of() : Collections.list(lines);
    }

    @Override
    public @Nullable Address peer() {
        String text = bare.getRemoteAddr();
        if (text == null) {
            return null;
        }
        int zone = text.indexOf('%');
        String plain = zone < 0 ? text : text.substring(0, zone);
        boolean brackets = plain.startsWith("[") && plain.endsWith("]");
        return Address.parse(brackets ? plain.substring(1, plain.length() - 1) : plain)
                .orElse(null);
    }

    @Override
    public @Nullable Principal principal() {
        return request.getUserPrincipal();
    }

    @Override
    public boolean isBodiless() {
        return bare.getProtocol().startsWith("HTTP/1")
                && bare.getHeader("content-length") == null
                && bare.getHeader("transfer-encoding") == null;
    }

    private static HttpServletRequest bare(HttpServletRequest request) {
        ServletRequest inner = request;
        HttpServletRequest found = request;
        while (inner instanceof ServletRequestWrapper wrapper) {
            inner = wrapper.getRequest();
            if (inner instanceof HttpServletRequest http) {
                found = http;
            }
        }
        return found;
    }
}
