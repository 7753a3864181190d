package io.sluice.cli;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.core.time.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Checks the dependencies between modules and packages that the docs describe. */
class ArchitectureTest {

    private static final JavaClasses SLUICE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.sluice");

    private static final int MOST_TYPES_IN_A_PACKAGE = 25;

    /** The settings that the configuration of a center consists of, beside those in {@code center.signin.settings}. */
    private static final Set<String> SETTINGS_OF_CONCEPTS = Set.of(
            "io.sluice.center.destination.AlertSettings",
            "io.sluice.center.destination.AlertSeverity",
            "io.sluice.center.personal.RetentionSettings",
            "io.sluice.center.sink.AuditSink");

    private static final Set<String> WALL_CLOCKS = Set.of(
            "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.time.Instant.now",
            "java.time.LocalDate.now",
            "java.time.LocalDateTime.now",
            "java.time.ZonedDateTime.now",
            "java.time.OffsetDateTime.now",
            "java.time.Clock.systemUTC",
            "java.time.Clock.systemDefaultZone",
            "java.time.Clock.system");

    @Test
    void checksAllModules() {
        assertThat(new TreeSet<>(SLUICE.stream().map(ArchitectureTest::module).toList()))
                .contains(
                        "core",
                        "history",
                        "rules",
                        "http",
                        "redis",
                        "rules-redis",
                        "testkit",
                        "envoy",
                        "replay",
                        "runtime",
                        "spring",
                        "node",
                        "center",
                        "cli");
    }

    @Test
    void coreUsesOnlyTheJdkAndJSpecify() {
        check(uses("core"));
    }

    @Test
    void rulesUsesCoreAndYaml() {
        check(uses(inModule("rules"), "io.sluice.core..", "io.sluice.rules..", "org.snakeyaml.engine.."));
        check(noClasses().that(inModule("rules")).should().dependOnClassesThat(inModule("rules-redis")));
    }

    @Test
    void httpUsesCoreAndRules() {
        check(uses("http", "io.sluice.core..", "io.sluice.rules.."));
    }

    @Test
    void replayKnowsNoFrontEnd() {
        check(noClasses()
                .that(resideInAPackage("io.sluice.replay.."))
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "io.sluice.node..",
                        "io.sluice.center..",
                        "io.sluice.cli..",
                        "io.sluice.testkit..",
                        "io.sluice.redis..",
                        "io.lettuce..",
                        "org.springframework..")));
    }

    @Test
    void historyUsesCoreAndJson() {
        check(uses("history", "io.sluice.core..", "com.fasterxml.jackson.."));
    }

    @Test
    void rulesRedisUsesCoreRulesAndLettuce() {
        check(uses(inModule("rules-redis"), "io.sluice.core..", "io.sluice.rules..", "io.lettuce..", "io.netty.."));
    }

    @Test
    void redisUsesCoreAndLettuce() {
        check(uses("redis", "io.sluice.core..", "io.lettuce..", "io.netty..", "reactor.."));
    }

    @Test
    void envoyUsesCoreRulesAndItsProtocol() {
        check(uses(
                "envoy",
                "io.sluice.core..",
                "io.sluice.rules..",
                "io.envoyproxy..",
                "io.grpc..",
                "io.netty..",
                "com.google.protobuf.."));
    }

    @Test
    void onlyEnvoyKnowsGrpc() {
        check(noClasses()
                .that(resideOutsideOfPackage("io.sluice.envoy.."))
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.grpc..", "io.envoyproxy..", "com.google.protobuf..")));
    }

    @Test
    void testkitUsesCoreAndTestLibraries() {
        check(uses(
                "testkit",
                "io.sluice.core..",
                "org.junit..",
                "org.opentest4j..",
                "org.assertj..",
                "com.fasterxml.jackson..",
                "com.sun.net.httpserver.."));
    }

    @Test
    void nodeKnowsNeitherTheCommandLineNorTheTestkitNorSpring() {
        check(noClasses()
                .that(resideInAPackage("io.sluice.node.."))
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("io.sluice.cli..", "io.sluice.testkit..", "org.springframework..")));
    }

    @Test
    void onlyItsEntryPointsUseNode() {
        check(noClasses()
                .that(not(inModule("node")))
                .should()
                .dependOnClassesThat(inModule("node")
                        .and(not(resideInAnyPackage(
                                "io.sluice.node",
                                "io.sluice.node.config",
                                "io.sluice.node.door",
                                "io.sluice.node.gateway.spi")))));
    }

    @Test
    void onlyItsEntryPointIsUsedOfTheCenter() {
        check(noClasses()
                .that(not(inModule("center")))
                .should()
                .dependOnClassesThat(inModule("center")
                        .and(not(resideInAnyPackage("io.sluice.center", "io.sluice.center.signin.settings")))
                        .and(DescribedPredicate.describe(
                                "are no settings of a concept",
                                type -> !SETTINGS_OF_CONCEPTS.contains(
                                        type.getName().replaceFirst("\\$.*", ""))))));
    }

    @Test
    void theCenterKnowsNoNode() {
        check(noClasses()
                .that(inModule("center"))
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.sluice.node..", "io.sluice.cli..", "io.sluice.testkit..")));
    }

    @Test
    void nothingDependsOnTheCommandLine() {
        check(noClasses()
                .that(resideOutsideOfPackage("io.sluice.cli.."))
                .should()
                .dependOnClassesThat(resideInAPackage("io.sluice.cli..")));
    }

    @Test
    void noModuleUsesTheInternalsOfAnother() {
        List<String> wrong = new ArrayList<>();
        for (JavaClass user : SLUICE) {
            user.getDirectDependenciesFromSelf().forEach(dependency -> {
                JavaClass used = dependency.getTargetClass();
                boolean internal = used.getPackageName().matches("io\\.sluice\\..*\\binternal\\b.*");
                if (internal && !module(used).equals(module(user))) {
                    wrong.add(dependency.getDescription());
                }
            });
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void packagesFormNoCycles() {
        check(slices().matching("io.sluice.(**)").should().beFreeOfCycles());
    }

    @Test
    void noPackageHoldsMoreThanOneIdea() {
        Map<String, Long> sizes = SLUICE.stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, TreeMap::new, Collectors.counting()));
        sizes.values().removeIf(size -> size <= MOST_TYPES_IN_A_PACKAGE);
        assertThat(sizes).isEmpty();
    }

    @Test
    void onlyCoreTimeReadsTheSystemClocks() {
        check(noClasses()
                .that(resideOutsideOfPackage("io.sluice.core.time.."))
                .should()
                .accessTargetWhere(new DescribedPredicate<JavaAccess<?>>("is a clock of the system") {
                    @Override
                    public boolean test(JavaAccess<?> access) {
                        AccessTarget target = access.getTarget();
                        return WALL_CLOCKS.contains(target.getOwner().getName() + "." + target.getName());
                    }
                }));
    }

    @Test
    void runtimeKnowsNoServerAndNoFramework() {
        check(uses(
                "runtime",
                "io.sluice.core..",
                "io.sluice.rules..",
                "io.sluice.redis..",
                "io.micrometer.core..",
                "org.apache.datasketches..",
                "org.apache.kafka..",
                "org.slf4j.."));
    }

    @Test
    void onlyItsStarterAndTheCenterKnowSpring() {
        check(noClasses()
                .that(not(resideInAnyPackage("io.sluice.spring..", "io.sluice.center..")))
                .should()
                .dependOnClassesThat(resideInAPackage("org.springframework..")));
    }

    @Test
    void theFrameworkPartKnowsNoSpringBoot() {
        check(noClasses()
                .that(resideInAPackage("io.sluice.spring.."))
                .and(not(inSpringBoot()))
                .should()
                .dependOnClassesThat(
                        resideInAPackage("org.springframework.boot..").or(inSpringBoot())));
    }

    @Test
    void theSharedAutoConfigurationKnowsNoStarter() {
        check(noClasses()
                .that(resideInAPackage("io.sluice.spring.boot.."))
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.sluice.spring.boot3..", "io.sluice.spring.boot4..")));
    }

    @Test
    void onlyTheAutoConfigurationKnowsTheFoundingForms() {
        check(noClasses()
                .that(not(resideInAnyPackage("io.sluice.spring.founding..", "io.sluice.spring.boot..")))
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("io.sluice.spring.founding..", "io.sluice.spring.boot.founding..")));
    }

    @Test
    void onlyTheRuntimeAndItsUsersKnowMicrometer() {
        check(noClasses()
                .that(not(resideInAnyPackage("io.sluice.runtime..", "io.sluice.node..", "io.sluice.spring..")))
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.micrometer..", "io.prometheus..")));
    }

    @Test
    void namesSayWhatAClassIs() {
        check(noClasses().should().haveNameMatching(".*(Manager|Helper|Utils?|Impl|Base|Info)"));
    }

    @Test
    void classesAreFinalUnlessMadeForExtension() {
        check(classes()
                .that(not(resideInAPackage("io.sluice.testkit..")))
                .and()
                .areNotInterfaces()
                .and()
                .areNotEnums()
                .and()
                .areNotAnonymousClasses()
                .and()
                .doNotHaveSimpleName("package-info")
                .and(not(JavaClass.Predicates.equivalentTo(Object.class)))
                // The clock of the testkit extends it.
                .and(not(JavaClass.Predicates.equivalentTo(ManualClock.class)))
                .should()
                .haveModifier(com.tngtech.archunit.core.domain.JavaModifier.FINAL)
                .orShould()
                .haveModifier(com.tngtech.archunit.core.domain.JavaModifier.ABSTRACT));
    }

    @Test
    void everyPackageIsNullMarked() {
        List<String> unmarked = new ArrayList<>();
        for (JavaPackage each : SLUICE.getPackage("io.sluice").getSubpackagesInTree()) {
            if (!each.getClasses().isEmpty() && !each.isAnnotatedWith(NullMarked.class)) {
                unmarked.add(each.getName());
            }
        }
        assertThat(unmarked).isEmpty();
    }

    private static ArchRule uses(String module, String... others) {
        List<String> all = new ArrayList<>(List.of(others));
        all.add("io.sluice." + module + "..");
        return uses(resideInAPackage("io.sluice." + module + ".."), all.toArray(String[]::new));
    }

    private static ArchRule uses(DescribedPredicate<JavaClass> module, String... others) {
        List<String> all = new ArrayList<>(List.of(others));
        all.addAll(List.of("java..", "javax..", "org.jspecify.."));
        return classes().that(module).should().onlyDependOnClassesThat(resideInAnyPackage(all.toArray(String[]::new)));
    }

    private static DescribedPredicate<JavaClass> inModule(String name) {
        return DescribedPredicate.describe(
                "are in " + name, type -> module(type).equals(name));
    }

    /** Packages are named like their modules, with a dot for the hyphen in rules-redis. */
    private static DescribedPredicate<JavaClass> inSpringBoot() {
        return resideInAnyPackage("io.sluice.spring.boot..", "io.sluice.spring.boot3..", "io.sluice.spring.boot4..");
    }

    private static String module(JavaClass type) {
        String[] parts = type.getPackageName().split("\\.", -1);
        if (type.getPackageName().startsWith("io.sluice.rules.redis")) {
            return "rules-redis";
        }
        return type.getPackageName().startsWith("io.sluice.") ? parts[2] : "";
    }

    private static void check(ArchRule rule) {
        rule.check(SLUICE);
    }
}
