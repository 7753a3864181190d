package io.sluice.center.signin;

import io.sluice.center.command.RefusalLog;
import io.sluice.center.people.Confirmer;
import io.sluice.center.people.People;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.core.time.Clock;
import java.util.function.Supplier;

/**
 * The parts of a center that the security of requests uses.
 *
 * @param address the public address, available as soon as the server listens
 */
public record SignInParts(
        People people,
        AdminToken adminToken,
        SignInSettings settings,
        Supplier<PublicAddress> address,
        Clock clock,
        Passwords passwords,
        SignInThrottle throttle,
        RefusalLog refusals,
        Confirmer confirmer) {}
