package perf

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	_ "k8s.io/component-base/logs/json/register" // --logging-format=json
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	schedulerperf "k8s.io/kubernetes/test/integration/scheduler_perf"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/allocator/scheduler"
	"github.com/draconform/draconform/allocator/scheduler/internal/controlplane"
)

func TestMain(m *testing.M) {
	if err := schedulerperf.InitTests(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// BenchmarkPerfScheduling runs the workloads of shapes.yaml, those for trying out with -short, and writes the results
// and a table into a new folder in the one that -data-items-dir names. Run it with -benchtime=1x.
func BenchmarkPerfScheduling(b *testing.B) {
	dir := resultsDir(b)
	useEtcd(b)
	findSources(b)
	rows, config := writeConfig(b)
	schedulerperf.RunBenchmarkPerfScheduling(b, config, "draconform",
		frameworkruntime.Registry{scheduler.Name: scheduler.New},
		schedulerperf.WithPodsSchedulingTimeout(5*time.Minute))
	text := table(rows, names.DynamicResources, scheduler.Name, readResults(b, dir))
	if err := os.WriteFile(filepath.Join(dir, "table.md"), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	fmt.Printf("\n%s\nResults: %s\n", text, dir)
}

// resultsDir makes scheduler_perf write its results and logs into a new folder.
func resultsDir(b *testing.B) string {
	b.Helper()
	base := flag.Lookup("data-items-dir").Value.String()
	if base == "" {
		base = b.TempDir()
	}
	dir := filepath.Join(base, time.Now().UTC().Format("20060102T150405Z"))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := flag.Set("data-items-dir", dir); err != nil {
		b.Fatal(err)
	}
	b.Setenv("ARTIFACTS", dir) // For the logs of workloads that fail.
	return dir
}

// useEtcd puts etcd on the path, where scheduler_perf looks for it.
func useEtcd(b *testing.B) {
	b.Helper()
	dir, err := controlplane.Binaries(b.Context(), controlplane.Etcd)
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// findSources tells the API server where its sources are, with certificates for tests, if -trimpath has removed that from
// the binary. It takes the variables of another build system for it.
func findSources(b *testing.B) {
	b.Helper()
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		return
	}
	modules := filepath.Dir(filepath.Dir(kubernetes(b))) // It is k8s.io/kubernetes@version in there.
	b.Setenv("TEST_SRCDIR", modules)
	b.Setenv("TEST_WORKSPACE", ".")
}

// writeConfig writes the test cases into a file, and returns the rows of the table and the file.
func writeConfig(b *testing.B) ([]string, string) {
	b.Helper()
	shapes, err := readShapes(shapesYAML)
	if err != nil {
		b.Fatal(err)
	}
	cases, rows, err := derive(shapes, upstream(b), testing.Short(), contenders(b))
	if err != nil {
		b.Fatal(err)
	}
	content, err := yaml.Marshal(cases)
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "performance-config.yaml")
	if err := os.WriteFile(file, content, 0o644); err != nil {
		b.Fatal(err)
	}
	return rows, file
}

func contenders(tb testing.TB) []contender {
	tb.Helper()
	config, err := filepath.Abs("draconform.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	return []contender{{plugin: names.DynamicResources}, {plugin: scheduler.Name, config: config}}
}

// upstream returns the folder of scheduler_perf.
func upstream(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(kubernetes(tb), "test", "integration", "scheduler_perf")
}

// kubernetes returns the folder of the Kubernetes that this module requires.
func kubernetes(tb testing.TB) string {
	tb.Helper()
	out, err := exec.CommandContext(tb.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		tb.Fatalf("find module k8s.io/kubernetes: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func readResults(b *testing.B, dir string) []schedulerperf.DataItem {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		b.Fatalf("expected one file with results in %s: %v, %v", dir, files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		b.Fatal(err)
	}
	var results schedulerperf.DataItems
	if err := json.Unmarshal(content, &results); err != nil {
		b.Fatal(err)
	}
	return results.DataItems
}
