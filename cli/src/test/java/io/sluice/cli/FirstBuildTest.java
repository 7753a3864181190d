package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * The first build of {@code ./sluice} downloads only what running needs. Maven downloads the descriptions of all dependencies of a module,
 * and of theirs, whatever their scope; so those of tests stand in a profile.
 */
class FirstBuildTest {

    private static final Path ROOT = Path.of("..");

    @TestFactory
    List<DynamicTest> aModuleOfTheProgramHasItsTestDependenciesInTheProfile() throws Exception {
        List<DynamicTest> tests = new ArrayList<>();
        NodeList modules = parse(ROOT.resolve("pom.xml")).getElementsByTagName("module");
        for (int i = 0; i < modules.getLength(); i++) {
            Node module = modules.item(i);
            if (isInProfile(module)) {
                continue;
            }
            String name = module.getTextContent();
            tests.add(DynamicTest.dynamicTest(
                    name, () -> assertThat(outsideOfProfiles(name)).isEmpty()));
        }
        assertThat(tests).hasSizeGreaterThan(5);
        return tests;
    }

    /** Returns the test dependencies outside of a profile. */
    private static List<String> outsideOfProfiles(String module) throws Exception {
        List<String> found = new ArrayList<>();
        NodeList dependencies = parse(ROOT.resolve(module).resolve("pom.xml")).getElementsByTagName("dependency");
        for (int i = 0; i < dependencies.getLength(); i++) {
            Element dependency = (Element) dependencies.item(i);
            if (text(dependency, "scope").equals("test") && !isInProfile(dependency)) {
                found.add(text(dependency, "artifactId"));
            }
        }
        return found;
    }

    private static String text(Element element, String name) {
        Node first = element.getElementsByTagName(name).item(0);
        return first == null ? "" : first.getTextContent();
    }

    private static boolean isInProfile(Node node) {
        for (Node at = node; at != null; at = at.getParentNode()) {
            if (at.getNodeName().equals("profile")) {
                return true;
            }
        }
        return false;
    }

    private static Document parse(Path pom) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
    }
}
