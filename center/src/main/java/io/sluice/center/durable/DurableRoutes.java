package io.sluice.center.durable;

import io.sluice.center.http.RequestBody;
import io.sluice.center.refusal.RefusedException;
import io.sluice.runtime.center.CenterDurableLine;
import io.sluice.runtime.durable.DurableSum;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The routes for sums of durable limits: nodes send their sums, and request all sums after Redis has lost its data. Each line is a sum, and
 * answers contain the number of sums.
 */
@RestController
public final class DurableRoutes {

    private static final Pattern REF = Pattern.compile("[0-9a-f]{64}");
    private static final int MOST_LINES = 20_000;

    private final DurableBook book;

    DurableRoutes(DurableBook book) {
        this.book = book;
    }

    @PostMapping(path = "/api/durable/sums", produces = MediaType.APPLICATION_JSON_VALUE)
    String add(HttpServletRequest request) {
        List<DurableSum> sums = new ArrayList<>();
        for (String line : lines(request)) {
            try {
                sums.add(DurableSum.parse(line));
            } catch (IllegalArgumentException e) {
                throw RefusedException.invalid(
                        "line " + (sums.size() + 1) + ": not a sum of a durable limit (expected: one of a node)");
            }
        }
        book.add(sums);
        return CenterDurableLine.receipt(sums.size());
    }

    @GetMapping(path = "/api/durable/sums", produces = MediaType.TEXT_PLAIN_VALUE)
    String all(@RequestParam(name = "after", defaultValue = "") String after) {
        return CenterDurableLine.page(book.page(ref(after)));
    }

    @PostMapping(path = "/api/durable/restores/{store}", produces = MediaType.TEXT_PLAIN_VALUE)
    String restore(@PathVariable("store") String store, @RequestParam(name = "after", defaultValue = "") String after) {
        if (!DurableSum.isName(store)) {
            throw RefusedException.invalid("store: unreadable (expected: up to 64 letters, digits and -)");
        }
        return CenterDurableLine.page(book.earlierThan(store, ref(after)));
    }

    @PostMapping(path = "/api/durable/erasures", produces = MediaType.APPLICATION_JSON_VALUE)
    String erase(HttpServletRequest request) {
        List<String> refs = lines(request);
        refs.forEach(each -> {
            if (!REF.matcher(each).matches()) {
                throw RefusedException.invalid("ref: unreadable (expected: 64 digits from 0 to f)");
            }
        });
        book.remove(refs);
        return CenterDurableLine.receipt(refs.size());
    }

    private static List<String> lines(HttpServletRequest request) {
        List<String> lines =
                RequestBody.text(request).lines().limit(MOST_LINES + 1L).toList();
        if (lines.size() > MOST_LINES) {
            throw RefusedException.invalid("body: more than " + MOST_LINES + " lines (expected: fewer)");
        }
        return lines;
    }

    private static String ref(String after) {
        if (!after.isEmpty() && !REF.matcher(after).matches()) {
            throw RefusedException.invalid("after: unreadable (expected: the name of a sum, or nothing)");
        }
        return after;
    }
}
