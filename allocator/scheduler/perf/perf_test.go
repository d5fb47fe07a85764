// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package perf

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	_ "k8s.io/component-base/logs/json/register" // --logging-format=json
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	schedulerperf "k8s.io/kubernetes/test/integration/scheduler_perf"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/allocator/scheduler"
	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
)

func TestMain(m *testing.M) {
	if err := schedulerperf.InitTests(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var (
	only   = flag.String("only", ".", "regular expression: only workloads whose row matches")
	rounds = flag.Int("rounds", 1, "how often each workload is run with each plugin")
)

// theCase is the environment variable with the test case that a process runs.
const theCase = "DRACONFORM_PERF_CASE"

// BenchmarkPerfScheduling runs the workloads of shapes.yaml, or the short ones with -short. It writes the results and
// a table into a new folder below -data-items-dir. Run it with -benchtime=1x.
//
// Each combination of workload and plugin runs in a separate process: what one leaves on the heap may slow down the
// next, and histograms cannot be reset. The order of the plugins alternates from round to round.
func BenchmarkPerfScheduling(b *testing.B) {
	dir := resultsDir(b)
	_, rows := cases(b)
	plugins := contenders(b)
	chosen, err := regexp.Compile(*only)
	if err != nil {
		b.Fatal(err)
	}
	rows = slices.DeleteFunc(rows, func(row string) bool { return !chosen.MatchString(row) })
	results := make([][]schedulerperf.DataItem, *rounds)
	for round := range results {
		for _, row := range rows {
			order := slices.Clone(plugins)
			if round%2 == 1 {
				slices.Reverse(order)
			}
			for _, c := range order {
				results[round] = append(results[round], runAlone(b, caseName(row, c.plugin), filepath.Join(dir, fmt.Sprintf("round-%d", round+1)))...)
			}
		}
	}
	text := table(rows, names.DynamicResources, scheduler.Name, results)
	if err := os.WriteFile(filepath.Join(dir, "table.md"), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	fmt.Printf("\n%s\nResults: %s\n", text, dir)
}

// runAlone runs a test case in a separate process and returns its results. A test case that fails has none; its
// output contains the reason.
func runAlone(b *testing.B, name, dir string) []schedulerperf.DataItem {
	b.Helper()
	dir = filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	fmt.Println(time.Now().Format(time.TimeOnly), name)
	cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkCase$", "-test.benchtime=1x", "-test.timeout=1h",
		fmt.Sprintf("-test.short=%t", testing.Short()), "-data-items-dir="+dir)
	cmd.Env = append(os.Environ(), theCase+"="+name)
	out, err := cmd.CombinedOutput()
	if err := os.WriteFile(filepath.Join(dir, "output.log"), out, 0o644); err != nil {
		b.Fatal(err)
	}
	if err != nil {
		fmt.Printf("%s failed: %v, see %s\n", name, err, dir)
	}
	return readResults(b, dir)
}

// BenchmarkCase runs the test case named by the environment. BenchmarkPerfScheduling uses it.
func BenchmarkCase(b *testing.B) {
	name := os.Getenv(theCase)
	if name == "" {
		b.Skip("BenchmarkPerfScheduling runs it in other processes")
	}
	b.Setenv("ARTIFACTS", flag.Lookup("data-items-dir").Value.String()) // For the logs of workloads that fail.
	useEtcd(b)
	findSources(b)
	all, _ := cases(b)
	all = slices.DeleteFunc(all, func(c object) bool { return c["name"] != name })
	if len(all) != 1 {
		b.Fatalf("there is no test case %s", name)
	}
	schedulerperf.RunBenchmarkPerfScheduling(b, writeConfig(b, all), "draconform",
		frameworkruntime.Registry{scheduler.Name: scheduler.New},
		schedulerperf.WithPodsSchedulingTimeout(5*time.Minute))
}

// resultsDir creates a new folder for results and logs.
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
	return dir
}

// useEtcd adds the programs of a control plane to the path, where scheduler_perf looks for etcd. If there are none in
// the user's cache folder, they are built, which takes minutes.
func useEtcd(b *testing.B) {
	b.Helper()
	dir, err := nodeimage.Programs(b.Context(), nodeimage.Options{Release: clusters.Newest(), Progress: progress.New(os.Stderr)})
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// findSources sets the location of the API server's sources, which contain certificates for tests, if -trimpath has
// removed it from the binary. It uses the environment variables of another build system for that.
func findSources(b *testing.B) {
	b.Helper()
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		return
	}
	modules := filepath.Dir(filepath.Dir(kubernetes(b))) // The folder that contains k8s.io/kubernetes@version.
	b.Setenv("TEST_SRCDIR", modules)
	b.Setenv("TEST_WORKSPACE", ".")
}

// cases returns the test cases and the rows of the table.
func cases(b *testing.B) ([]object, []string) {
	b.Helper()
	shapes, err := readShapes(shapesYAML)
	if err != nil {
		b.Fatal(err)
	}
	cases, rows, err := derive(shapes, upstream(b), testing.Short(), contenders(b))
	if err != nil {
		b.Fatal(err)
	}
	return cases, rows
}

// writeConfig writes test cases to a file.
func writeConfig(b *testing.B, cases []object) string {
	b.Helper()
	content, err := yaml.Marshal(cases)
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "performance-config.yaml")
	if err := os.WriteFile(file, content, 0o644); err != nil {
		b.Fatal(err)
	}
	return file
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

// kubernetes returns the folder of the Kubernetes version that this module requires.
func kubernetes(tb testing.TB) string {
	tb.Helper()
	out, err := exec.CommandContext(tb.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		tb.Fatalf("find module k8s.io/kubernetes: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// readResults returns the results that a process has written to a folder. There are none if its workload failed.
func readResults(b *testing.B, dir string) []schedulerperf.DataItem {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		b.Fatal(err)
	}
	var all []schedulerperf.DataItem
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		var results schedulerperf.DataItems
		if err := json.Unmarshal(content, &results); err != nil {
			b.Fatal(err)
		}
		all = append(all, results.DataItems...)
	}
	return all
}
