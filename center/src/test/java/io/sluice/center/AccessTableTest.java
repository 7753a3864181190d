package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.AccessTable;
import io.sluice.center.access.Endpoint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** The table of endpoints and the running application have the same endpoints. */
class AccessTableTest {

    @TempDir
    Path data;

    @Test
    void everyEndpointIsInTheTableAndEveryRowExists() throws Exception {
        try (Center center = Center.open(PreparedCenter.in(data))) {
            WebApplicationContext context = center.server().application();
            assertThat(center.address().getPort()).isPositive();
            Set<String> real = new TreeSet<>();
            context.getBeansOfType(HandlerMapping.class).values().forEach(mapping -> add(mapping, real));
            context.getServletContext().getServletRegistrations().values().stream()
                    .filter(servlet -> !servlet.getName().equals("dispatcherServlet"))
                    .forEach(servlet -> servlet.getMappings().forEach(path -> real.add("GET " + path)));
            Set<String> table = AccessTable.endpoints().stream()
                    .map(endpoint -> endpoint.method() + " " + endpoint.path())
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(table).isEqualTo(real);
        }
    }

    @Test
    void noRowIsThereTwiceAndNoOpenOneNeedsARight() {
        List<String> rows = new ArrayList<>();
        for (Endpoint endpoint : AccessTable.endpoints()) {
            rows.add(endpoint.method() + " " + endpoint.path().replaceAll("\\{[^}]*}", "{}"));
            assertThat(endpoint.isOpen()
                            && (endpoint.isFresh() || endpoint.right().isPresent()))
                    .as(endpoint.path())
                    .isFalse();
        }
        assertThat(rows).doesNotHaveDuplicates();
    }

    private static void add(HandlerMapping mapping, Set<String> real) {
        if (mapping instanceof RequestMappingHandlerMapping routes) {
            routes.getHandlerMethods().keySet().forEach(route -> add(route, real));
        } else if (mapping instanceof AbstractUrlHandlerMapping pages) {
            pages.getHandlerMap().keySet().forEach(path -> real.add("GET " + path));
        } else if (mapping instanceof RouterFunctionMapping functions) {
            assertThat(functions.getRouterFunction()).isNull();
        } else {
            // Something new: this test has to learn to list it.
            assertThat(mapping).isNull();
        }
    }

    private static void add(RequestMappingInfo route, Set<String> real) {
        assertThat(route.getMethodsCondition().getMethods())
                .as(route.toString())
                .isNotEmpty();
        route.getMethodsCondition().getMethods().forEach(method -> route.getPatternValues()
                .forEach(path -> real.add(method.name() + " " + path)));
    }
}
