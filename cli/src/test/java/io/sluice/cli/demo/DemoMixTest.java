package io.sluice.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.model.Rule;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DemoMixTest {

    private final List<DemoCaller> callers = DemoCaller.all();
    private final DemoMix mix = new DemoMix(callers);

    @Test
    void theRateRisesAndFallsWithinItsBounds() {
        double least = Double.MAX_VALUE;
        double most = 0;
        for (int second = 0; second < 600; second++) {
            least = Math.min(least, DemoMix.perSecond(second));
            most = Math.max(most, DemoMix.perSecond(second));
        }
        assertThat(least).isBetween(20.0, 25.0);
        assertThat(most).isBetween(35.0, 40.0);
    }

    @Test
    void everyAddressAndNumberBelongsToNobody() {
        Set<String> paths = new HashSet<>();
        int guesses = 0;
        for (int i = 0; i < 20_000; i++) {
            DemoRequest request = mix.next(i / 30.0);
            assertThat(request.address()).matches("203\\.0\\.113\\.\\d+|192\\.0\\.2\\.\\d+|198\\.51\\.100\\.\\d+");
            assertThat(request.headers().getOrDefault("x-phone", "+12015550100"))
                    .matches("\\+1\\d{3}55501\\d\\d");
            paths.add(request.path().replaceAll("[?].*|\\d+", ""));
            guesses += request.address().equals(DemoMix.GUESSER) ? 1 : 0;
        }
        assertThat(paths)
                .containsExactlyInAnyOrder(
                        "/api/search", "/api/orders/", "/api/login", "/api/sms", "/api/payments", "/api/users/me");
        assertThat(guesses).isBetween(500, 5_000);
    }

    @Test
    void everyCallerHasAKeyOfItsOwnAndEveryTenantHasPeople() {
        assertThat(callers.stream().map(DemoCaller::key)).doesNotHaveDuplicates();
        assertThat(callers.stream().map(DemoCaller::tenant)).containsAll(DemoCaller.TENANTS);
        assertThat(DemoCaller.all().get(0).key()).isNotEqualTo(callers.get(0).key());
        assertThat(callers.get(0).toString()).doesNotContain(callers.get(0).key());
    }

    @Test
    void theRulesAreThoseOfTheShop() {
        assertThat(Demo.rules().stream().map(Rule::id)).containsExactly("sms", "search", "payments");
    }
}
