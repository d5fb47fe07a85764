// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// Case is a problem with its answers, as stored in a file.
type Case struct {
	problem.Problem
	// Rule describes the rule that the case guards.
	Rule string `json:"rule,omitempty"`
	// Expect is the expected answer by the name of the node. If it is empty,
	// the answer of Kubernetes is expected.
	Expect map[string]Expectation `json:"expect,omitempty"`
	// Kubernetes is the answer of Kubernetes 1.37 where that differs from
	// Expect because of a known bug that an allocator need not share.
	Kubernetes map[string]Expectation `json:"kubernetes,omitempty"`
}

// Expectation is an expected answer: devices in the format of Outcome.Devices,
// or the class of any other outcome.
type Expectation struct {
	Claims [][]string `json:"claims,omitempty"`
	Class  Class      `json:"class,omitempty"`
}

// ReadCases reads the cases of a folder. The keys are the names of the files
// without .yaml.
func ReadCases(folder string) (map[string]*Case, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list cases: %w", err)
	}
	cases := map[string]*Case{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read case: %w", err)
		}
		c := &Case{}
		if err := yaml.UnmarshalStrict(text, c); err != nil {
			return nil, fmt.Errorf("decode case %s: %w", file, err)
		}
		c.fillIn()
		name := filepath.Base(file)
		cases[name[:len(name)-len(".yaml")]] = c
	}
	return cases, nil
}

// fillIn sets the defaults of the API server. Without nodes it adds the node
// n0, and without classes the class any.
func (c *Case) fillIn() {
	if c.Nodes == nil {
		c.Nodes = []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n0"}}}
	}
	if c.Classes == nil {
		c.Classes = []*resourceapi.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "any"}}}
	}
	for _, claim := range c.Claims {
		for i := range claim.Spec.Devices.Requests {
			request := &claim.Spec.Devices.Requests[i]
			if e := request.Exactly; e != nil {
				defaultCount(&e.AllocationMode, &e.Count)
			}
			for j := range request.FirstAvailable {
				defaultCount(&request.FirstAvailable[j].AllocationMode, &request.FirstAvailable[j].Count)
			}
		}
	}
}

func defaultCount(mode *resourceapi.DeviceAllocationMode, count *int64) {
	if *mode == "" {
		*mode = resourceapi.DeviceAllocationModeExactCount
	}
	if *mode == resourceapi.DeviceAllocationModeExactCount && *count == 0 {
		*count = 1
	}
}

// Met returns an error that describes how the outcome differs from the
// expectation, or nil.
func (e Expectation) Met(o Outcome) error {
	want := e.Class
	if want == "" {
		want = Fit
	}
	if want != o.Class || want == Fit && !reflect.DeepEqual(e.Claims, o.Devices()) {
		return fmt.Errorf("want %s %v, got %s", want, e.Claims, o)
	}
	return nil
}
