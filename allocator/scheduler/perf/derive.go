// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package perf

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed shapes.yaml
var shapesYAML []byte

// shape is a test case of scheduler_perf with the workloads to run.
type shape struct {
	Folder   string `json:"folder"`
	TestCase string `json:"testCase"`
	// Measure has fields that replace those of the operation that collects metrics.
	Measure   map[string]any `json:"measure,omitempty"`
	Short     []workload     `json:"short"`
	Workloads []workload     `json:"workloads"`
}

// workload is a workload of upstream, optionally with a different name and with different parameters.
type workload struct {
	Name   string         `json:"name"`
	As     string         `json:"as,omitempty"`
	Params map[string]any `json:"params,omitempty"`
}

// contender is a plugin and the file with the scheduler configuration that enables it. An empty file means the
// default configuration.
type contender struct{ plugin, config string }

// object is a part of a performance-config.yaml. Parts that are not changed are passed on unmodified.
type object = map[string]any

// readShapes parses shapes.yaml.
func readShapes(content []byte) ([]shape, error) {
	var shapes []shape
	if err := yaml.UnmarshalStrict(content, &shapes); err != nil {
		return nil, fmt.Errorf("read shapes: %w", err)
	}
	return shapes, nil
}

// derive returns the test cases of scheduler_perf for the shapes. For each workload there is one per contender, so
// that the cases to compare run in sequence. It also returns the names of the rows. The name of a case is that of its
// row and the plugin. Folders of Kubernetes are below upstream.
func derive(shapes []shape, upstream string, short bool, contenders []contender) (cases []object, rows []string, err error) {
	for _, s := range shapes {
		folder := filepath.Join(upstream, s.Folder)
		if strings.HasPrefix(s.Folder, "./") {
			if folder, err = filepath.Abs(s.Folder); err != nil {
				return nil, nil, err
			}
		}
		workloads := s.Workloads
		if short {
			workloads = s.Short
		}
		for _, w := range workloads {
			row := s.TestCase + "_" + w.As
			if w.As == "" {
				row = s.TestCase + "_" + w.Name
			}
			rows = append(rows, row)
			for _, c := range contenders {
				derived, err := s.derive(folder, w)
				if err != nil {
					return nil, nil, fmt.Errorf("test case %s in %s: %w", s.TestCase, folder, err)
				}
				derived["name"] = caseName(row, c.plugin)
				derived["metricsCollectorConfig"] = collected(c.plugin)
				if c.config != "" {
					derived["schedulerConfigPath"] = c.config
				}
				cases = append(cases, derived)
			}
		}
	}
	return cases, rows, nil
}

func caseName(row, plugin string) string { return row + "_" + plugin }

// derive returns the test case of the folder with one workload, and with paths that are valid in any working
// directory.
func (s shape) derive(folder string, w workload) (object, error) {
	// The file is read each time, because the result is modified.
	content, err := os.ReadFile(filepath.Join(folder, "performance-config.yaml"))
	if err != nil {
		return nil, err
	}
	var all []object
	if err := yaml.Unmarshal(content, &all); err != nil {
		return nil, err
	}
	test, err := named(all, s.TestCase)
	if err != nil {
		return nil, err
	}
	if test["schedulerConfigPath"] != nil {
		return nil, fmt.Errorf("has a scheduler configuration of its own")
	}
	found, err := named(objects(test["workloads"]), w.Name)
	if err != nil {
		return nil, err
	}
	if w.As != "" {
		found["name"] = w.As
	}
	params, _ := found["params"].(object)
	params = maps.Clone(params)
	maps.Copy(params, w.Params)
	found["params"] = params
	found["labels"] = []string{"performance", "short"} // What scheduler_perf runs without flags and with -short.
	delete(found, "threshold")                         // The threshold applies to upstream's machines.
	test["workloads"] = []object{found}
	for _, op := range objects(test["workloadTemplate"]) {
		if op["collectMetrics"] == true {
			maps.Copy(op, s.Measure)
		}
		makeAbsolute(op, folder)
	}
	return test, nil
}

// makeAbsolute makes template paths relative to the folder absolute.
func makeAbsolute(op object, folder string) {
	for key, value := range op {
		if path, ok := value.(string); ok && strings.HasSuffix(strings.ToLower(key), "templatepath") {
			op[key] = filepath.Join(folder, path)
		}
	}
}

// collected returns the metrics to collect in addition to the throughput.
func collected(plugin string) object {
	return object{"metrics": object{
		cycleMetric:   nil,
		attemptMetric: []object{{"label": "result", "values": append([]string{scheduled}, failed...)}},
		pluginMetric: []object{
			{"label": "plugin", "values": []string{plugin}},
			{"label": "extension_point", "values": []string{"PreFilter", "Filter", "Reserve"}},
		},
	}}
}

func objects(list any) []object {
	items, _ := list.([]any)
	var result []object
	for _, item := range items {
		if o, ok := item.(object); ok {
			result = append(result, o)
		}
	}
	return result
}

func named(list []object, name string) (object, error) {
	i := slices.IndexFunc(list, func(o object) bool { return o["name"] == name })
	if i < 0 {
		return nil, fmt.Errorf("%q does not exist", name)
	}
	return list[i], nil
}
