// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package perf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"
)

const exampleConfig = `
- name: Other
- name: Example
  featureGates: {SomeGate: true}
  workloadTemplate:
  - {opcode: createNodes, nodeTemplatePath: ../templates/node.yaml, countParam: $nodes}
  - {opcode: createPods, podTemplatePath: pod.yaml, count: 10, collectMetrics: true}
  workloads:
  - {name: fast, params: {nodes: 1}}
  - name: many
    labels: [integration-test]
    threshold: {dra: 70}
    params: {nodes: 500, claims: 3}
- name: Configured
  schedulerConfigPath: own.yaml
  workloads: [{name: fast}]
`

// example writes a folder with the configuration and returns its parent folder.
func example(t *testing.T) string {
	t.Helper()
	g := NewWithT(t)
	root := t.TempDir()
	g.Expect(os.Mkdir(filepath.Join(root, "dra"), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(root, "dra", "performance-config.yaml"), []byte(exampleConfig), 0o644)).To(Succeed())
	return root
}

func TestEachWorkloadIsThereOncePerContender(t *testing.T) {
	g := NewWithT(t)
	root := example(t)
	shapes := []shape{{
		Folder: "dra", TestCase: "Example", Measure: object{"countParam": "$pods"}, Short: []workload{{Name: "fast"}},
		Workloads: []workload{{Name: "many", As: "few", Params: object{"nodes": 7.0, "pods": 2.0}}, {Name: "fast"}},
	}}
	contenders := []contender{{plugin: "A"}, {plugin: "B", config: "/b.yaml"}}
	cases, rows, err := derive(shapes, root, false, contenders)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(rows).To(Equal([]string{"Example_few", "Example_fast"}))
	content, err := yaml.Marshal(cases)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(content)).To(MatchYAML(strings.Join([]string{
		expected(root, "few", "A", "", "{nodes: 7, claims: 3, pods: 2}"),
		expected(root, "few", "B", "/b.yaml", "{nodes: 7, claims: 3, pods: 2}"),
		expected(root, "fast", "A", "", "{nodes: 1}"),
		expected(root, "fast", "B", "/b.yaml", "{nodes: 1}"),
	}, "")))
	_, rows, err = derive(shapes, root, true, contenders)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(rows).To(Equal([]string{"Example_fast"}))
}

func expected(root, workload, plugin, config, params string) string {
	text := `
- name: Example_WORKLOAD_PLUGIN
  featureGates: {SomeGate: true}
  metricsCollectorConfig:
    metrics:
      scheduler_scheduling_algorithm_duration_seconds: null
      scheduler_scheduling_attempt_duration_seconds: [{label: result, values: [scheduled, unschedulable, error]}]
      scheduler_plugin_execution_duration_seconds:
      - {label: plugin, values: [PLUGIN]}
      - {label: extension_point, values: [PreFilter, Filter, Reserve]}
  workloadTemplate:
  - {opcode: createNodes, nodeTemplatePath: ROOT/templates/node.yaml, countParam: $nodes}
  - {opcode: createPods, podTemplatePath: ROOT/dra/pod.yaml, count: 10, countParam: $pods, collectMetrics: true}
  workloads: [{name: WORKLOAD, labels: [performance, short], params: PARAMS}]
`
	if config != "" {
		text += "  schedulerConfigPath: " + config + "\n"
	}
	return strings.NewReplacer("WORKLOAD", workload, "PLUGIN", plugin, "ROOT", root, "PARAMS", params).Replace(text)
}

func TestMissingNamesAreErrors(t *testing.T) {
	root := example(t)
	for name, tc := range map[string]struct {
		shape shape
		err   string
	}{
		"folder":                       {shape{Folder: "none", TestCase: "Example"}, "none"},
		"test case":                    {shape{Folder: "dra", TestCase: "Absent"}, `"Absent"`},
		"workload":                     {shape{Folder: "dra", TestCase: "Example"}, `"fast5"`},
		"two scheduler configurations": {shape{Folder: "dra", TestCase: "Configured"}, "of its own"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.shape.Workloads = []workload{{Name: "fast5"}}
			_, _, err := derive([]shape{tc.shape}, root, false, []contender{{plugin: "A"}})
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(tc.err)))
		})
	}
	_, err := readShapes([]byte("- {folder: dra, testcases: [Example]}"))
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("testcases")))
}

// Guards against releases of Kubernetes with other workloads.
func TestShapesAreThoseOfKubernetes(t *testing.T) {
	shapes, err := readShapes(shapesYAML)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for name, short := range map[string]bool{"short": true, "full": false} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			cases, rows, err := derive(shapes, upstream(t), short, contenders(t))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(cases).To(HaveLen(2 * len(rows)))
			seen := map[any]bool{}
			for _, c := range cases {
				g.Expect(seen).NotTo(HaveKey(c["name"]))
				seen[c["name"]] = true
				for _, op := range objects(c["workloadTemplate"]) {
					for key, value := range op {
						if strings.HasSuffix(strings.ToLower(key), "path") {
							g.Expect(value).To(BeAnExistingFile())
						}
					}
				}
			}
		})
	}
}
