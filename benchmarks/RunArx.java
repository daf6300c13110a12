import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXConfiguration.AnonymizationAlgorithm;
import org.deidentifier.arx.ARXLattice.ARXNode;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/**
 * Anonymizes a table by ARX's optimal search: k-anonymity at the least loss, every column a quasi-identifier but row_number.
 *
 * <p>With -Dlocal=SHARE rows that the best node suppresses are recoded again, that share of the rows at a time at least, until
 * none can be: ARX's local recoding. -Dseparator=, reads and writes a table with commas.
 *
 * <p>Prints, as JSON, the level of each column in the order of the table, the loss, the nodes that were checked, and
 * the CPU seconds of each step, of all threads: what collects garbage and compiles is counted, too.
 */
public class RunArx {
    private static double cpu() {
        var system = ManagementFactory.getOperatingSystemMXBean();
        return ((com.sun.management.OperatingSystemMXBean) system).getProcessCpuTime() / 1e9;
    }

    public static void main(String[] given) throws Exception {
        String source = given[0], hierarchies = given[1], release = given[2];
        int k = Integer.parseInt(given[3]);
        double suppressed = Double.parseDouble(given[4]);

        double local = Double.parseDouble(System.getProperty("local", "0"));
        char separator = System.getProperty("separator", ";").charAt(0);

        double start = cpu();
        Data data = Data.create(source, StandardCharsets.UTF_8, separator);
        DataHandle table = data.getHandle();
        for (int n = 0; n < table.getNumColumns(); n++) {
            String column = table.getAttributeName(n);
            if (column.equals("row_number")) {
                data.getDefinition().setAttributeType(column, AttributeType.INSENSITIVE_ATTRIBUTE);
                continue;
            }
            File file = new File(hierarchies, "hierarchy_" + column + ".csv");
            data.getDefinition().setAttributeType(column, Hierarchy.create(file, StandardCharsets.UTF_8, ';'));
        }
        ARXConfiguration asked = ARXConfiguration.create(suppressed, Metric.createLossMetric());
        asked.setAlgorithm(AnonymizationAlgorithm.OPTIMAL);
        asked.addPrivacyModel(new KAnonymity(k));

        double loaded = cpu();
        ARXResult result = new ARXAnonymizer().anonymize(data, asked);
        DataHandle output = result.getOutput(false);
        if (local > 0) {
            result.optimizeIterativeFast(output, local);
        }
        double searched = cpu();
        output.save(release, separator);
        double saved = cpu();

        ARXNode best = result.getGlobalOptimum();
        StringBuilder levels = new StringBuilder();
        for (int n = 0; n < table.getNumColumns(); n++) {
            if (table.getAttributeName(n).equals("row_number")) {
                continue;
            }
            levels.append(levels.length() == 0 ? "" : ", ").append(best.getGeneralization(table.getAttributeName(n)));
        }
        System.out.printf(
                java.util.Locale.ROOT,
                "{\"levels\": [%s], \"loss\": %s, \"checks\": %d, \"load\": %.2f, \"search\": %.2f, \"save\": %.2f}%n",
                levels, best.getHighestScore(), result.getProcessStatistics().getTransformationsChecked(),
                loaded - start, searched - loaded, saved - searched);
    }
}
