// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Hours of work are not lost because of the network.
func TestRunKeepsResultsThatCannotBeFetched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		c := newCluster(t)
		c.atLog = func() { c.ends(0, "Completed") }
		tries := 0
		c.connect = func(*corev1.Pod, int) (net.Conn, error) { tries++; return nil, errors.New("connection refused") }
		result, artifacts, err := c.run(t.Context())
		g.Expect(err).To(MatchError(And(
			ContainSubstring("fetch the results of the run: request the results of the run: "), ContainSubstring("connection refused"),
			HaveSuffix("the Job is kept for 30m0s: \"draconform job fetch draconform-a1b2 --namespace draconform-a1b2\" tries again, \"draconform clean --provider existing --run 20260102-030405-a1b2\" removes it"))))
		g.Expect(tries).To(Equal(4))
		g.Expect(result.Folder).To(BeEmpty())
		g.Expect(os.ReadDir(artifacts)).To(BeEmpty())
		g.Expect(c.objects()).To(ContainElement("v1.Job draconform-a1b2"))

		c.connect = c.connectToPod
		c.atLog = nil
		fetched, err := c.Fetch(t.Context(), "draconform-a1b2", "draconform-a1b2", artifacts)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(fetched).To(Equal(Result{Folder: filepath.Join(artifacts, testID), ExitCode: 0}))
	})
}

// Only a pod whose container still serves them has results.
func TestFetchIsTooLate(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	c.atLog = func() { c.ends(0, "Completed") }
	_, artifacts, err := c.run(t.Context(), func(o *RunOptions) { o.Keep = true })
	g.Expect(err).NotTo(HaveOccurred())
	c.atLog = nil
	c.setStatus(func(pod *corev1.Pod) {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: resultsContainer, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}},
		})
	})
	result, err := c.Fetch(t.Context(), "draconform-a1b2", "draconform-a1b2", artifacts)
	g.Expect(err).To(MatchError("the pod no longer has the results: they were fetched before, or not within the time of --hold"))
	g.Expect(result).To(Equal(Result{ExitCode: 0}))
}

func TestFetchRejectsOtherJobs(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "gpus", Name: "theirs"}})
	_, err := c.Fetch(t.Context(), "gpus", "theirs", t.TempDir())
	g.Expect(err).To(MatchError("job gpus/theirs is not one of \"draconform job\""))
	_, err = c.Fetch(t.Context(), "gpus", "missing", t.TempDir())
	g.Expect(err).To(MatchError(`get job missing: jobs.batch "missing" not found`))
}
