package io.sluice.http.figure;

import io.sluice.rules.cost.AnswerAttribute;
import io.sluice.rules.cost.AnswerAttribute.Source;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads figures such as {@code answer.json.usage.total_tokens} from one answer while it passes by: first its head, then each piece of its
 * body, then its end. The body is not kept, and the memory in use does not depend on it. Never throws, for any answer. Used by one thread
 * at a time.
 *
 * <p>A figure is a whole number of 0 or more. {@code 1000.0} and {@code 1e3} are 1000; {@code 12.5}, {@code -1}, text and null are not
 * figures. A figure above {@link io.sluice.core.limit.Limit#MAX_PERMITS} counts as this maximum. If an answer has several figures for an
 * attribute, the last figure counts.
 *
 * <ul>
 *   <li>{@code text/event-stream}: each event has a document. Its figures count once the event has ended. A path may also begin in the
 *       object {@code response}, {@code delta} or {@code message} of an event; a figure in {@code message} counts only if the whole stream
 *       has arrived.
 *   <li>JSON lines ({@code application/x-ndjson}): each line has a document.
 *   <li>Any other body is read as one JSON document. If it is broken, the answer has no figures. If it is a list, its elements count like
 *       events.
 * </ul>
 *
 * <p>Bodies in {@code gzip} and {@code deflate} are unpacked. Other encodings have no figures.
 */
public final class AnswerFigures implements AutoCloseable {

    private static final Set<String> LINES = Set.of(
            "application/x-ndjson",
            "application/ndjson",
            "application/jsonl",
            "application/x-jsonlines",
            "application/stream+json");

    private final List<AnswerAttribute> wanted;
    private final FoundFigures found;
    private final Map<AnswerAttribute, Long> inHead = new HashMap<>();
    private @Nullable BodyReader body;
    private @Nullable InflatedBody packed;
    private boolean complete;

    /** Creates a reader of these attributes of one answer. */
    public AnswerFigures(Collection<AnswerAttribute> wanted) {
        this.wanted = List.copyOf(Set.copyOf(wanted));
        this.found = new FoundFigures(this.wanted.size());
    }

    /** Returns whether some of the attributes are in bodies. */
    public static boolean areInBody(Collection<AnswerAttribute> wanted) {
        return wanted.stream().anyMatch(attribute -> attribute.source() == Source.JSON);
    }

    /**
     * Takes the head of the answer.
     *
     * @param headers returns all values of a header; names are in lower case
     */
    public void head(int status, Function<String, List<String>> headers) {
        for (AnswerAttribute attribute : wanted) {
            long figure =
                    switch (attribute.source()) {
                        case STATUS -> status;
                        case HEADER -> inHeader(headers.apply(attribute.name()));
                        case JSON -> WholeNumber.NONE;
                    };
            if (figure != WholeNumber.NONE) {
                inHead.put(attribute, figure);
            }
        }
        if (areInBody(wanted)) {
            body = decoded(headers.apply("content-encoding"), new MarkSkipper(reader(headers.apply("content-type"))));
        }
    }

    private static long inHeader(List<String> values) {
        return values.isEmpty() ? WholeNumber.NONE : WholeNumber.ofHeader(values.get(values.size() - 1));
    }

    private BodyReader reader(List<String> contentTypes) {
        String header = contentTypes.isEmpty() ? "" : contentTypes.get(0);
        int end = header.indexOf(';');
        String type = (end < 0 ? header : header.substring(0, end)).strip().toLowerCase(Locale.ROOT);
        if (type.equals("text/event-stream")) {
            return new EventStream(FigurePaths.inEvents(wanted), found);
        }
        FigurePaths paths = FigurePaths.inDocuments(wanted);
        return LINES.contains(type) ? new JsonLines(paths, found) : new JsonDocument(paths, found);
    }

    /** Returns a reader that decodes the body, or null if the encoding is unknown. */
    private @Nullable BodyReader decoded(List<String> encodings, BodyReader text) {
        List<String> codings = encodings.stream()
                .flatMap(line -> List.of(line.split(",", -1)).stream())
                .map(coding -> coding.strip().toLowerCase(Locale.ROOT))
                .filter(coding -> !coding.isEmpty() && !coding.equals("identity"))
                .toList();
        if (codings.isEmpty()) {
            return text;
        }
        packed = switch (codings.size() == 1 ? codings.get(0) : "") {
            case "gzip", "x-gzip" -> InflatedBody.gzip(text);
            case "deflate" -> InflatedBody.deflate(text);
            default -> null;
        };
        return packed;
    }

    /** Returns whether the pieces of the body are wanted. After returning false once, it always returns false. */
    public boolean wantsBody() {
        return body != null && !body.isOver();
    }

    /** Takes a piece of the body. The array is not kept. */
    public void piece(byte[] bytes) {
        if (body != null && !body.isOver()) {
            body.take(bytes, 0, bytes.length);
        }
    }

    /** Ends the answer. Call it when the whole answer has arrived. */
    public void end() {
        if (body != null) {
            body.end();
        }
        complete = true;
        close();
    }

    /** Returns the figures that are known so far. Attributes without a figure are absent. */
    public Map<AnswerAttribute, Long> figures() {
        Map<AnswerAttribute, Long> figures = new HashMap<>(inHead);
        for (int slot = 0; slot < wanted.size(); slot++) {
            long figure = found.figure(slot, complete);
            if (figure != WholeNumber.NONE) {
                figures.put(wanted.get(slot), figure);
            }
        }
        return figures;
    }

    /** Frees memory. Needed if the answer broke off; no pieces may follow. */
    @Override
    public void close() {
        body = null;
        if (packed != null) {
            packed.close();
            packed = null;
        }
    }
}
