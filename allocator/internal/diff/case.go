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

	"github.com/draconform/draconform/allocator/internal/problem"
)

// Case is a problem with its answers, as written in a file.
type Case struct {
	problem.Problem
	// Rule is what the case guards, in a sentence.
	Rule string `json:"rule,omitempty"`
	// Expect is the answer on nodes, by their names. Without any, the answer
	// is whatever Kubernetes answers.
	Expect map[string]Expectation `json:"expect,omitempty"`
	// Kubernetes is what Kubernetes 1.37 answers instead where it has a known
	// mistake that an allocator need not share.
	Kubernetes map[string]Expectation `json:"kubernetes,omitempty"`
}

// Expectation is an answer: devices as Outcome.Devices has them, or the class
// of any other outcome.
type Expectation struct {
	Claims [][]string `json:"claims,omitempty"`
	Class  Class      `json:"class,omitempty"`
}

// ReadCases reads the cases of a folder, by the names of the files.
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

// fillIn sets what the API server sets where nothing is said, and the node n0
// and the class any where there is none.
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

// Met returns how the outcome is not what is expected, nil if it is.
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
