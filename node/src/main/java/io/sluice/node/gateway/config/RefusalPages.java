package io.sluice.node.gateway.config;

import io.sluice.http.answer.AnswerLanguage;
import io.sluice.http.answer.RefusalBody;
import io.sluice.http.answer.RefusalText;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Rule;
import io.sluice.rules.watch.RegularFile;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The bodies that callers refused by certain rules receive instead of the problem. The text is sent unchanged. Immutable.
 *
 * @param byRule the pages by the ids of rules
 */
public record RefusalPages(Map<String, Page> byRule) {

    public static final RefusalPages NONE = new RefusalPages(Map.of());

    private static final List<String> KEYS = List.of("rule", "content_type", "text", "file");
    private static final long LARGEST_PAGE = 64 * 1024;

    /**
     * A body.
     *
     * @param contentType the value of {@code Content-Type}
     */
    record Page(String contentType, String text) {}

    public RefusalPages {
        byRule = Map.copyOf(byRule);
    }

    /** Returns the page of the rule that refused, if it has one. */
    public Optional<RefusalBody.Content> of(Ruling.Settled ruling, AnswerLanguage language) {
        Rule rule = ruling.rule();
        @Nullable Page page = rule == null ? null : byRule.get(rule.id());
        return page == null
                ? Optional.empty()
                : Optional.of(new RefusalBody.Content(
                        RefusalText.of(ruling, language).status(), page.contentType, language, page.text));
    }

    /** Reads the list {@code refusals}. */
    static RefusalPages read(Settings gateway) {
        Map<String, Page> pages = new HashMap<>();
        gateway.fields()
                .flatMap(own -> own.list("refusals"))
                .ifPresent(items -> items.forEach(item -> page(gateway.of("refusal", item, KEYS), pages)));
        return new RefusalPages(pages);
    }

    private static void page(Settings own, Map<String, Page> pages) {
        own.need("rule", "the id of a rule");
        own.need("content_type", "a type such as text/html; charset=utf-8");
        if (own.has("text") == own.has("file")) {
            own.error(
                    "text",
                    "text: " + (own.has("text") ? "set together with file" : "missing")
                            + " (expected: either text or file)");
            return;
        }
        Optional<String> type = own.text("content_type").filter(text -> isHeaderValue(own, text));
        Optional<String> text =
                own.has("text") ? own.text("text") : own.path("file").flatMap(path -> content(own, path));
        own.text("rule").ifPresent(rule -> {
            if (type.isPresent() && text.isPresent() && pages.put(rule, new Page(type.get(), text.get())) != null) {
                own.error("rule", "rule: " + rule + " occurs twice (expected: one refusal per rule)");
            }
        });
    }

    private static boolean isHeaderValue(Settings own, String text) {
        boolean fits = !text.isEmpty() && text.chars().allMatch(each -> each >= ' ' && each < 0x7f);
        if (!fits) {
            own.error(
                    "content_type",
                    "content_type: not a header value (expected: a type such as text/html; charset=utf-8)");
        }
        return fits;
    }

    private static Optional<String> content(Settings own, Path file) {
        try {
            if (Files.size(file) <= LARGEST_PAGE) {
                return Optional.of(RegularFile.text(file));
            }
            own.error("file", "file: too large (expected: at most " + LARGEST_PAGE + " bytes)");
        } catch (MalformedInputException e) {
            own.error("file", "file: not UTF-8 (expected: UTF-8)");
        } catch (IOException e) {
            own.error("file", "file: unreadable (expected: a file this user may read)");
        }
        return Optional.empty();
    }
}
