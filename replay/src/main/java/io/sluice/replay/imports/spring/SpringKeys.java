package io.sluice.replay.imports.spring;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Translates expressions and bean names to the attributes by which an application counts. Never evaluates an expression. */
final class SpringKeys {

    private static final Pattern HEADER =
            Pattern.compile("getHeaders?\\((?:\\)\\.(?:getFirst|get)\\()?\\s*['\"]([A-Za-z0-9_-]{1,100})['\"]\\s*\\)");
    private static final Pattern PARAMETER = Pattern.compile(
            "(?:getParameter|getQueryParams\\(\\)\\.getFirst)\\(\\s*['\"]([A-Za-z0-9_.-]{1,100})['\"]\\s*\\)");
    private static final Pattern CONSTANT = Pattern.compile("'[^']*'|\"[^\"]*\"|[0-9]+");

    private SpringKeys() {}

    /** Returns the attributes behind an expression such as {@code getHeader('X-Key')}; empty for any other expression. */
    static Optional<List<String>> ofExpression(String expression) {
        String text = expression.strip();
        Matcher header = HEADER.matcher(text);
        Matcher parameter = PARAMETER.matcher(text);
        if (CONSTANT.matcher(text).matches()) {
            return Optional.of(List.of());
        }
        if (header.matches()) {
            return Optional.of(List.of("header." + header.group(1).toLowerCase(Locale.ROOT)));
        }
        if (parameter.matches()) {
            return Optional.of(List.of("query." + parameter.group(1)));
        }
        return switch (text.replace(" ", "")) {
            case "getRemoteAddr()",
                    "remoteAddr",
                    "getRemoteAddress()",
                    "getRemoteAddress().getAddress().getHostAddress()",
                    "getRemoteHost()" -> Optional.of(List.of("ip"));
            case "getRemoteUser()",
                    "getUserPrincipal().getName()",
                    "getUserPrincipal()?.getName()",
                    "userPrincipal.name" -> Optional.of(List.of("user"));
            case "getRequestURI()", "getServletPath()", "getURI().getPath()", "getPath()" ->
                Optional.of(List.of("path"));
            case "getMethod()" -> Optional.of(List.of("method"));
            default -> Optional.empty();
        };
    }

    /** Guesses the attribute behind the name of a bean such as {@code userKeyResolver}. */
    static Optional<String> ofBean(String name) {
        String word = name.toLowerCase(Locale.ROOT);
        if (word.contains("user") || word.contains("principal") || word.contains("account")) {
            return Optional.of("user");
        }
        if (word.contains("tenant")) {
            return Optional.of("tenant");
        }
        if (word.contains("path") || word.contains("uri") || word.contains("url")) {
            return Optional.of("path");
        }
        return word.contains("ip") || word.contains("addr") || word.contains("host")
                ? Optional.of("ip")
                : Optional.empty();
    }
}
