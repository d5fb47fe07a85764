// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// start creates the Job and waits for its start. It returns how long that took.
func (c *cluster) start(timeout time.Duration) (time.Duration, error) {
	job := c.createJob()
	began := time.Now()
	_, err := c.waitForStart(c.t.Context(), job, timeout)
	return time.Since(began), err
}

func event(kind, name, reason, message string) *corev1.Event {
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: "draconform-a1b2", Name: "event-" + reason}, Type: corev1.EventTypeWarning, Reason: reason, Message: message,
		InvolvedObject: corev1.ObjectReference{Kind: kind, Name: name},
	}
}

// Messages are those of Kubernetes 1.37.
func TestCausesOfPendingPods(t *testing.T) {
	unschedulable := corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
	}}}
	for name, test := range map[string]struct {
		status corev1.PodStatus
		event  *corev1.Event
		after  time.Duration
		want   string
	}{
		"unschedulable": {
			status: unschedulable, after: 5 * time.Minute,
			want: "the run has not started after 5m0s: no node fits: 0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.; the pod needs 260m CPU and 288Mi memory on a Linux node of the image's architecture (--arch), see also --toleration",
		},
		"image that does not exist": {
			status: waiting("ImagePullBackOff", `Back-off pulling image "x": not found`), after: 45 * time.Second,
			want: `the run has not started after 45s: the image cannot be pulled: ImagePullBackOff Back-off pulling image "x": not found; push the image of "draconform images" to a registry`,
		},
		"image that is not on the node": {
			status: waiting("ErrImageNeverPull", "x"), want: "the run has not started after 0s: the image is not on the node: ErrImageNeverPull x; import the archive",
		},
		"container that cannot be created": {
			status: waiting("CreateContainerConfigError", `configmap "draconform-a1b2" not found`), after: 30 * time.Second,
			want: `the run has not started after 30s: the container cannot be created: CreateContainerConfigError configmap "draconform-a1b2" not found`,
		},
		"volume that cannot be mounted": {
			status: waiting("ContainerCreating", ""), after: 5 * time.Minute,
			event: event("Pod", "draconform-a1b2-x", "FailedMount", `MountVolume.SetUp failed for volume "drivers"`),
			want:  `the run has not started after 5m0s: the pod is starting: FailedMount: MountVolume.SetUp failed for volume "drivers"`,
		},
		"evicted pod": {
			status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "The node was low on resource: memory."},
			want:   "the run has not started after 0s: the pod has failed: Evicted The node was low on resource: memory.",
		},
		"quota": {
			event: event("Job", "draconform-a1b2", "FailedCreate", `Error creating: pods "draconform-a1b2-x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2`),
			after: 5 * time.Minute, want: "the run has not started after 5m0s: a quota of the namespace is exceeded: FailedCreate: Error creating: pods",
		},
		"pod security": {
			event: event("Job", "draconform-a1b2", "FailedCreate", `Error creating: pods "draconform-a1b2-x" is forbidden: violates PodSecurity "restricted:latest": x`),
			want:  "the run has not started after 0s: the namespace's pod security level does not admit the pod: ",
		},
		"webhook that rejects": {
			event: event("Job", "draconform-a1b2", "FailedCreate", `Error creating: admission webhook "policy.example.com" denied the request: no`),
			want:  "the run has not started after 0s: an admission webhook rejects the pod: ",
		},
		"webhook that does not respond": {
			event: event("Job", "draconform-a1b2", "FailedCreate", `Error creating: Internal error occurred: failed calling webhook "policy.example.com": timeout`),
			after: 5 * time.Minute, want: "the run has not started after 5m0s: an admission webhook does not respond: ",
		},
		"limit range": {
			event: event("Job", "draconform-a1b2", "FailedCreate", `Error creating: pods "draconform-a1b2-x" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi`),
			want:  "the run has not started after 0s: a limit range of the namespace does not admit the pod: ",
		},
		"unknown rejection": {
			event: event("Job", "draconform-a1b2", "FailedCreate", "Error creating: something new"),
			after: 30 * time.Second, want: "the run has not started after 30s: the pod is rejected: FailedCreate: Error creating: something new",
		},
		"event about another Job": {
			event: event("Job", "other", "FailedCreate", "Error creating: exceeded quota"),
			after: 5 * time.Minute, want: "the run has not started after 5m0s: the Job has no pod yet",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				c := newCluster(t)
				c.status = test.status
				if test.event != nil {
					g.Expect(c.Tracker().Add(test.event)).To(Succeed())
				}
				took, err := c.start(5 * time.Minute)
				g.Expect(err).To(MatchError(HavePrefix(test.want)))
				g.Expect(took).To(Equal(test.after))
			})
		})
	}
}

// A cause that goes away is no error, and its patience begins anew.
func TestStartAfterCausesThatGoAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		c := newCluster(t)
		c.status = waiting("ErrImagePull", "timeout")
		changes := []corev1.PodStatus{waiting("ContainerCreating", ""), waiting("ErrImagePull", "timeout"), running()}
		go func() {
			for _, status := range changes {
				<-time.After(40*time.Second + time.Millisecond)
				c.setStatus(func(pod *corev1.Pod) { pod.Status = status })
			}
		}()
		took, err := c.start(5 * time.Minute)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(took).To(Equal(121 * time.Second))
		g.Expect(c.out.String()).To(ContainSubstring("the image cannot be pulled: ErrImagePull timeout"), "the current cause is shown")
		g.Expect(c.out.String()).To(ContainSubstring("start of job draconform-a1b2/draconform-a1b2: on node n1"))
	})
}

func TestStartOfAJobThatEnds(t *testing.T) {
	for name, test := range map[string]struct {
		condition batchv1.JobConditionType
		want      string
	}{
		"deadline": {batchv1.JobFailed, "the run has not started after 0s: the Job has ended: DeadlineExceeded: Job was active longer than specified deadline"},
		"failing":  {batchv1.JobFailureTarget, "the run has not started after 0s: the Job has ended: DeadlineExceeded: Job was active longer than specified deadline"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := newCluster(t)
			c.status = corev1.PodStatus{}
			job := jobOf(t, Options{RunID: testID})
			job.Status.Conditions = []batchv1.JobCondition{{Type: test.condition, Status: corev1.ConditionTrue, Reason: "DeadlineExceeded", Message: "Job was active longer than specified deadline"}}
			g.Expect(create(t.Context(), c.Clientset, job)).To(Succeed())
			_, err := c.waitForStart(t.Context(), job, time.Minute)
			g.Expect(err).To(MatchError(test.want))
		})
	}
	g := NewWithT(t)
	_, err := newCluster(t).waitForStart(t.Context(), jobOf(t, Options{RunID: testID}), time.Minute)
	g.Expect(err).To(MatchError("the run has not started after 0s: the Job was deleted"))
}

// A pod of another Job with the same name is not that of this Job.
func TestPodOfAnotherJobIsIgnored(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	job := c.createJob()
	g.Expect(c.pod(t.Context(), job)).NotTo(BeNil())
	job.UID = "another"
	g.Expect(c.pod(t.Context(), job)).To(BeNil())
}
