// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/run"
)

func (c *cluster) run(ctx context.Context, change ...func(*RunOptions)) (Result, string, error) {
	o := RunOptions{Options: Options{RunID: testID, Rights: withFakes}, Artifacts: filepath.Join(c.t.TempDir(), "artifacts")}
	for _, f := range change {
		f(&o)
	}
	result, err := c.Run(ctx, o)
	return result, o.Artifacts, err
}

func TestRunFetchesTheResultsAndRemovesTheJob(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	c.logs = []string{"2026-01-02T03:04:05.1Z run 20260102-030405-a1b2\n2026-01-02T03:04:05.2Z verdict: failed\n"}
	var during []string
	c.atLog = func() { during = c.objects(); c.ends(1, "Error") }
	result, artifacts, err := c.run(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(result).To(Equal(Result{Folder: filepath.Join(artifacts, testID), ExitCode: 1}))
	g.Expect(os.ReadFile(filepath.Join(result.Folder, "report.yaml"))).To(Equal([]byte("kind: Report\n")))
	g.Expect(c.out.String()).To(ContainSubstring("\nrun 20260102-030405-a1b2\nverdict: failed\n"))
	g.Expect(during).To(ConsistOf(
		"v1.Namespace draconform-a1b2", "v1.ServiceAccount draconform-a1b2", "v1.ConfigMap draconform-a1b2", "v1.Job draconform-a1b2",
		"v1.ClusterRole draconform-a1b2", "v1.ClusterRoleBinding draconform-a1b2"))
	g.Expect(c.objects()).To(BeEmpty())
}

// In a namespace of the user, only the Job's objects are removed.
func TestRunInAnExistingNamespace(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "gpus"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "gpus", Name: "theirs"}},
		&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "gpus", Name: "theirs"}})
	var during []string
	c.atLog = func() { during = c.objects(); c.ends(0, "Completed") }
	result, _, err := c.run(t.Context(), func(o *RunOptions) { o.Namespace, o.Rights = "gpus", everything().Rights })
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(result.ExitCode).To(BeZero())
	g.Expect(during).To(ContainElements("v1.Role draconform-a1b2", "v1.RoleBinding draconform-a1b2"))
	g.Expect(c.objects()).To(ConsistOf("v1.Namespace gpus", "v1.ConfigMap theirs", "v1.Job theirs"))
}

func TestRunKeepsTheJob(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	c.atLog = func() { c.ends(0, "Completed") }
	_, _, err := c.run(t.Context(), func(o *RunOptions) { o.Keep = true })
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.objects()).To(ContainElement("v1.Job draconform-a1b2"))
}

// Objects that exist already are not touched, and those that were created before
// are removed.
func TestRunDoesNotTouchExistingObjects(t *testing.T) {
	for name, test := range map[string]struct {
		labels map[string]string
		want   string
	}{
		"of a user":      {nil, "create config map draconform-a1b2: it exists already and does not belong to draconform: choose another name"},
		"of another run": {map[string]string{"draconform.dev/run": "20250101-000000-ffff"}, "create config map draconform-a1b2: it exists already and belongs to run 20250101-000000-ffff: choose another name, or delete it with \"draconform clean --provider existing --run 20250101-000000-ffff\""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := newCluster(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "gpus", Name: "draconform-a1b2", Labels: test.labels}, Data: map[string]string{"a": "b"}})
			_, _, err := c.run(t.Context(), func(o *RunOptions) { o.Namespace = "gpus" })
			g.Expect(err).To(MatchError(test.want))
			g.Expect(c.objects()).To(ConsistOf("v1.ConfigMap draconform-a1b2"))
			got, err := c.CoreV1().ConfigMaps("gpus").Get(t.Context(), "draconform-a1b2", metav1.GetOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got.Data).To(Equal(map[string]string{"a": "b"}))
		})
	}
}

func TestRunReportsWhatWasRejected(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	c.PrependReactor("create", "clusterrolebindings", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Group: "rbac.authorization.k8s.io", Resource: "clusterrolebindings"}, "draconform-a1b2", errors.New("user lacks it"))
	})
	_, _, err := c.run(t.Context())
	g.Expect(err).To(MatchError(ContainSubstring("create cluster role binding draconform-a1b2: clusterrolebindings.rbac.authorization.k8s.io \"draconform-a1b2\" is forbidden: user lacks it")))
	g.Expect(c.objects()).To(BeEmpty())
}

func TestRunOfInvalidOptionsCreatesNothing(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	_, _, err := c.run(t.Context(), func(o *RunOptions) { o.Name = "My_Job" })
	g.Expect(err).To(MatchError(run.ErrConfig))
	g.Expect(c.Actions()).To(BeEmpty())
}

// A run that could not start is removed.
func TestRunThatDoesNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		c := newCluster(t)
		c.status = waiting("ErrImageNeverPull", "Container image \"x\" is not present with pull policy of Never")
		_, _, err := c.run(t.Context())
		g.Expect(err).To(MatchError("the run has not started after 0s: the image is not on the node: ErrImageNeverPull Container image \"x\" is not present with pull policy of Never; import the archive of \"draconform images\" on the nodes"))
		g.Expect(c.objects()).To(BeEmpty())
	})
}

// The kubelet kills a run that needs too much memory. What it has written by then
// is fetched.
func TestRunThatWasKilled(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	c.atLog = func() { c.ends(137, "OOMKilled") }
	result, _, err := c.run(t.Context())
	g.Expect(err).To(MatchError("the run was killed because it needs more memory than its limit: raise --memory"))
	g.Expect(filepath.Join(result.Folder, "report.yaml")).To(BeARegularFile())
	g.Expect(c.objects()).To(BeEmpty())
}

// Without results, the cause is more than that they cannot be fetched.
func TestRunWhosePodIsDeleted(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	c.atLog = func() {
		g.Expect(c.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("pods"), "draconform-a1b2", "draconform-a1b2-x")).To(Succeed())
		job, err := c.BatchV1().Jobs("draconform-a1b2").Get(t.Context(), "draconform-a1b2", metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "DeadlineExceeded", Message: "Job was active longer than specified deadline"}}
		g.Expect(c.Tracker().Update(batchv1.SchemeGroupVersion.WithResource("jobs"), job, job.Namespace)).To(Succeed())
	}
	_, _, err := c.run(t.Context())
	g.Expect(err).To(MatchError("pod draconform-a1b2-x was deleted before the run ended\nthe Job has failed: DeadlineExceeded: Job was active longer than specified deadline"))
	g.Expect(c.objects()).To(BeEmpty())
}
