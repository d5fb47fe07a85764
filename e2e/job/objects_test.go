// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"

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

// TestRender prints the manifests of Jobs: the whole one, or in "render driver"
// what the options change.
func TestRender(t *testing.T) {
	datadriven.RunTest(t, "testdata/render", func(_ *testing.T, d *datadriven.TestData) string {
		o := Options{RunID: testID, Arch: "amd64", Rights: withFakes}
		if d.HasArg("everything") {
			o = everything()
		}
		manifest, err := Render(o)
		if err != nil {
			return "error: " + err.Error()
		}
		if only := d.CmdArgs; len(only) > 0 && only[0].Key == "kind" {
			for document := range strings.SplitSeq(string(manifest), "---\n") {
				if strings.Contains(document, "\nkind: "+only[0].Vals[0]+"\n") {
					return document
				}
			}
		}
		return string(manifest)
	})
}

// The Job's objects belong to its run, so that "draconform clean" finds them.
func TestAllObjectsBelongToTheRun(t *testing.T) {
	for name, o := range map[string]Options{"defaults": {RunID: testID, Rights: withFakes}, "everything": everything()} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			objects, err := Objects(o)
			g.Expect(err).NotTo(HaveOccurred())
			for _, object := range objects {
				accessor, err := meta.Accessor(object)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(accessor.GetLabels()).To(HaveKeyWithValue("draconform.dev/run", testID), "%T", object)
				g.Expect(accessor.GetName()).To(HavePrefix(map[bool]string{true: "judge", false: "draconform-a1b2"}[o.Name != ""]), "%T", object)
				switch object.(type) {
				case *rbacv1.Role, *rbacv1.RoleBinding:
					g.Expect(accessor.GetNamespace()).To(BeElementOf("specs", "gpu-system"), "where the run has rights")
					continue
				}
				if accessor.GetNamespace() != "" {
					g.Expect(accessor.GetNamespace()).To(Equal(map[bool]string{true: "gpus", false: "draconform-a1b2"}[o.Name != ""]), "%T", object)
				}
			}
		})
	}
}

// A cluster rejects what does not decode strictly.
func TestRenderedObjectsDecodeStrictly(t *testing.T) {
	g := NewWithT(t)
	manifest, err := Render(everything())
	g.Expect(err).NotTo(HaveOccurred())
	n := 0
	for document := range strings.SplitSeq(string(manifest), "---\n") {
		var kind struct{ Kind string }
		g.Expect(yaml.Unmarshal([]byte(document), &kind)).To(Succeed())
		into := map[string]any{
			"ServiceAccount": &corev1.ServiceAccount{}, "ConfigMap": &corev1.ConfigMap{}, "Job": &batchv1.Job{},
			"ClusterRole": &rbacv1.ClusterRole{}, "ClusterRoleBinding": &rbacv1.ClusterRoleBinding{}, "Role": &rbacv1.Role{}, "RoleBinding": &rbacv1.RoleBinding{},
		}[kind.Kind]
		g.Expect(into).NotTo(BeNil(), kind.Kind)
		g.Expect(yaml.UnmarshalStrict([]byte(document), into)).To(Succeed(), kind.Kind)
		g.Expect(document).NotTo(ContainSubstring("creationTimestamp"))
		n++
	}
	g.Expect(n).To(Equal(9))
}

func jobOf(t *testing.T, o Options) *batchv1.Job {
	t.Helper()
	g := NewWithT(t)
	objects, err := Objects(o)
	g.Expect(err).NotTo(HaveOccurred())
	job, ok := objects[len(objects)-1].(*batchv1.Job)
	g.Expect(ok).To(BeTrue(), "the Job is created last")
	return job
}

// The evaluator is the one of the API server.
func TestPodCompliesWithRestricted(t *testing.T) {
	g := NewWithT(t)
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	g.Expect(err).NotTo(HaveOccurred())
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, o := range []Options{{RunID: testID}, everything()} {
		template := jobOf(t, o).Spec.Template
		for _, result := range evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec) {
			g.Expect(result.Allowed).To(BeTrue(), "%s: %s", result.ForbiddenReason, result.ForbiddenDetail)
		}
		template.Spec.Containers[0].SecurityContext = nil
		g.Expect(evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec)).To(
			ContainElement(HaveField("Allowed", false)), "the evaluator finds violations")
	}
}

// Namespaces with quotas and limit ranges require both of every container.
func TestContainersHaveRequestsAndLimits(t *testing.T) {
	g := NewWithT(t)
	pod := jobOf(t, Options{RunID: testID}).Spec.Template.Spec
	g.Expect(pod.Containers).To(HaveLen(2))
	for _, c := range pod.Containers {
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
			request, limit := c.Resources.Requests[name], c.Resources.Limits[name]
			g.Expect(request.Sign()).To(Equal(1), "%s of container %s", name, c.Name)
			g.Expect(limit.Cmp(request)).To(BeNumerically(">=", 0), "%s of container %s", name, c.Name)
		}
	}
	cpu, memory := resource.MustParse("260m"), resource.MustParse("288Mi")
	cpuSum, memorySum := pod.Containers[0].Resources.Requests.Cpu().DeepCopy(), pod.Containers[0].Resources.Requests.Memory().DeepCopy()
	cpuSum.Add(*pod.Containers[1].Resources.Requests.Cpu())
	memorySum.Add(*pod.Containers[1].Resources.Requests.Memory())
	g.Expect([]int{cpuSum.Cmp(cpu), memorySum.Cmp(memory)}).To(Equal([]int{0, 0}), "as the hint for unschedulable pods states")
}

// The container that serves the results has no access to the cluster.
func TestOnlyTheRunHasAToken(t *testing.T) {
	g := NewWithT(t)
	objects, err := Objects(Options{RunID: testID})
	g.Expect(err).NotTo(HaveOccurred())
	for _, object := range objects {
		if account, ok := object.(*corev1.ServiceAccount); ok {
			g.Expect(*account.AutomountServiceAccountToken).To(BeFalse())
		}
	}
	pod := jobOf(t, Options{RunID: testID}).Spec.Template.Spec
	g.Expect(*pod.AutomountServiceAccountToken).To(BeFalse())
	token := ""
	for _, v := range pod.Volumes {
		if v.Projected != nil && v.Projected.Sources[0].ServiceAccountToken != nil {
			token = v.Name
		}
	}
	mounts := map[string]string{}
	for _, c := range pod.Containers {
		for _, m := range c.VolumeMounts {
			if m.Name == token {
				mounts[c.Name] = m.MountPath
			}
		}
	}
	g.Expect(mounts).To(Equal(map[string]string{"run": "/var/run/secrets/kubernetes.io/serviceaccount"}))
}

// The roles have the rights of the run, and are bound to the account of its pod.
func TestRolesAreThoseOfTheRun(t *testing.T) {
	g := NewWithT(t)
	for _, o := range []Options{{RunID: testID, Rights: withFakes}, everything()} {
		objects, err := Objects(o)
		g.Expect(err).NotTo(HaveOccurred())
		o, err = o.complete()
		g.Expect(err).NotTo(HaveOccurred())
		rules, want := map[string][]rbacv1.PolicyRule{}, map[string][]rbacv1.PolicyRule{}
		collect := func(into map[string][]rbacv1.PolicyRule, objects []runtime.Object) {
			for _, object := range objects {
				switch r := object.(type) {
				case *rbacv1.ClusterRole:
					into[""] = r.Rules
				case *rbacv1.Role:
					into[r.Namespace] = r.Rules
				}
			}
		}
		collect(rules, objects)
		collect(want, o.Rights.Roles("any", nil))
		g.Expect(rules).To(Equal(want))
		bound := 0
		for _, object := range objects {
			switch b := object.(type) {
			case *rbacv1.ClusterRoleBinding:
				bound++
				g.Expect(b.RoleRef.Name).To(Equal(o.Name))
				g.Expect(b.Subjects).To(ConsistOf(rbacv1.Subject{Kind: "ServiceAccount", Namespace: o.namespace(), Name: o.Name}))
			case *rbacv1.RoleBinding:
				bound++
				g.Expect(b.RoleRef.Name).To(Equal(o.Name))
				g.Expect(b.Subjects).To(ConsistOf(rbacv1.Subject{Kind: "ServiceAccount", Namespace: o.namespace(), Name: o.Name}))
			}
		}
		g.Expect(bound).To(Equal(len(rules)))
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

// Files of different folders may have the same name, or names that are no keys of
// a ConfigMap.
func TestDriverFilesHaveDifferentNames(t *testing.T) {
	g := NewWithT(t)
	o := Options{RunID: testID, Drivers: []DriverFile{{"a/x.yaml", []byte("1")}, {"b/x.yaml", []byte("2")}, {"ä.yaml", []byte("3")}}}
	objects, err := Objects(o)
	g.Expect(err).NotTo(HaveOccurred())
	for _, object := range objects {
		if config, ok := object.(*corev1.ConfigMap); ok {
			g.Expect(config.Data).To(Equal(map[string]string{"x.yaml": "1", "driver-2.yaml": "2", "driver-3.yaml": "3"}))
		}
	}
	g.Expect(jobOf(t, o).Spec.Template.Spec.Containers[0].Args).To(ContainElements(
		"--driver=/etc/draconform/drivers/x.yaml", "--driver=/etc/draconform/drivers/driver-2.yaml", "--driver=/etc/draconform/drivers/driver-3.yaml"))
	g.Expect(o.Drivers[0].Name).To(Equal("a/x.yaml"), "the options of the caller are not changed")
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
