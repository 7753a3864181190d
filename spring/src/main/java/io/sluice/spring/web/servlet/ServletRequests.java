package io.sluice.spring.web.servlet;

import io.sluice.spring.CurrentRequest;
import io.sluice.spring.web.LazyRequest;
import io.sluice.spring.web.RequestReader;
import io.sluice.spring.web.WebAnswers;
import java.util.Optional;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Finds the request of the current thread in Spring's request context. Values are computed only when they are read. */
public final class ServletRequests implements CurrentRequest.Finder {

    private final RequestReader reader;
    private final WebAnswers answers;

    /** Creates a finder. */
    public ServletRequests(RequestReader reader, WebAnswers answers) {
        this.reader = reader;
        this.answers = answers;
    }

    @Override
    public Optional<CurrentRequest> current() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                ? Optional.of(new LazyRequest(
                        new ServletIncoming(attributes.getRequest()), reader, ServletReports.of(attributes, answers)))
                : Optional.empty();
    }
}
