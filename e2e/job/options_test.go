// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/internal/access"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

const testID = "20260102-030405-a1b2"

// withFakes are the rights of a run without driver files.
var withFakes = access.Run{Fakes: true}

// everything sets every option.
func everything() Options {
	return Options{
		Rights: access.Run{Namespace: "specs", NodeAgent: true, Drivers: []*driverfile.Driver{{
			Name: "gpu.example.com", DaemonSet: &driverfile.DaemonSet{Namespace: "gpu-system", Name: "gpu"}, Allow: driverfile.Allow{Restart: true},
		}}},
		RunID: testID, Name: "judge", Namespace: "gpus", Image: "registry.example.com/draconform:v1", Arch: "arm64",
		Drivers:     []DriverFile{{"drivers/gpu.yaml", []byte("name: gpu.example.com\n")}, {"other/gpu.yaml", []byte("name: nic.example.com\n")}},
		RunArgs:     []string{"--claim", "driver"},
		Tolerations: []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}},
		PullSecrets: []string{"registry"}, Deadline: 90 * time.Second, Hold: time.Minute, Memory: "4Gi",
	}
}

func TestOptionsAreValidated(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"run id":       {func(o *Options) { o.RunID = "mine" }, `"mine" is not the id of a run, such as 20060102-150405-a1b2`},
		"name":         {func(o *Options) { o.Name = "My_Job" }, `name "My_Job" of the Job: a lowercase RFC 1123 label`},
		"namespace":    {func(o *Options) { o.Namespace = "a.b" }, `namespace "a.b" of the Job: `},
		"image":        {func(o *Options) { o.Image = "a b" }, `image "a b" of the Job: invalid reference format`},
		"arch":         {func(o *Options) { o.Arch = "x 86" }, `architecture "x 86" of the image: `},
		"pull secret":  {func(o *Options) { o.PullSecrets = []string{"A"} }, `image pull secret "A": `},
		"no namespace": {func(o *Options) { o.Namespace = "" }, "image pull secrets must exist in the namespace of the Job: set the namespace that has them"},
		"deadline":     {func(o *Options) { o.Deadline = time.Second }, "deadline of the Job: must be at least 1m0s, not 1s"},
		"hold":         {func(o *Options) { o.Hold = -time.Second }, "time for which results are kept: must not be negative, not -1s"},
		"memory":       {func(o *Options) { o.Memory = "much" }, `memory limit "much" of the run: `},
		"little":       {func(o *Options) { o.Memory = "1Mi" }, "memory limit of the run: must be at least 256Mi, not 1Mi"},
		"large files":  {func(o *Options) { o.Drivers[0].Content = make([]byte, 1<<20) }, "driver files: they have 1048598 bytes, and a ConfigMap can hold 1024000"},
	} {
		t.Run(name, func(t *testing.T) {
			o := everything()
			test.change(&o)
			_, err := Objects(o)
			NewWithT(t).Expect(err).To(MatchError(HavePrefix(test.want)))
		})
	}
}

func TestParseToleration(t *testing.T) {
	g := NewWithT(t)
	for text, want := range map[string]corev1.Toleration{
		"gpu=true:NoSchedule":       {Key: "gpu", Operator: corev1.TolerationOpEqual, Value: "true", Effect: corev1.TaintEffectNoSchedule},
		"example.com/gpu:NoExecute": {Key: "example.com/gpu", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
		"gpu":                       {Key: "gpu", Operator: corev1.TolerationOpExists},
		"gpu=":                      {Key: "gpu", Operator: corev1.TolerationOpEqual},
	} {
		g.Expect(ParseToleration(text)).To(Equal(want), text)
	}
	for text, want := range map[string]string{
		"":            `toleration "": "" is not the key of a taint, use key=value:effect, key:effect or key`,
		"gpu:Never":   `toleration "gpu:Never": effect "Never" is not known, use NoSchedule, PreferNoSchedule or NoExecute`,
		"gpu:":        `toleration "gpu:": effect "" is not known, use NoSchedule, PreferNoSchedule or NoExecute`,
		"gpu=a b:NoX": `toleration "gpu=a b:NoX": "a b" is not the value of a taint`,
	} {
		_, err := ParseToleration(text)
		g.Expect(err).To(MatchError(want))
	}
}
