// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"io"
	"testing"
	"testing/synctest"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// follow creates the Job and follows the log of its pod.
func (c *cluster) follow() (*corev1.ContainerStateTerminated, error) {
	g := NewWithT(c.t)
	pod, err := c.pod(c.t.Context(), c.createJob())
	g.Expect(err).NotTo(HaveOccurred())
	f := follower{client: c.Client, pod: pod}
	return f.wait(c.t.Context())
}

// Every line is printed once, although a log is continued by whole seconds and
// may break off within a line.
func TestFollowContinuesALogThatBreaksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		c := newCluster(t)
		c.logs = []string{
			"2026-01-02T03:04:05.1Z one\n2026-01-02T03:04:05.2Z two\n2026-01-02T03:04:05.3Z thr",
			"2026-01-02T03:04:05.1Z one\n2026-01-02T03:04:05.2Z two\n2026-01-02T03:04:05.3Z three\n",
			"2026-01-02T03:04:05.3Z three\n2026-01-02T03:04:07Z  • four ...\n",
		}
		var since []string
		serve := c.openLog
		c.openLog = func(ctx context.Context, pod *corev1.Pod, o *corev1.PodLogOptions) (io.ReadCloser, error) {
			if o.SinceTime != nil {
				since = append(since, o.SinceTime.UTC().Format("05.0"))
			}
			return serve(ctx, pod, o)
		}
		c.atLog = func() {
			if len(c.logs) == 1 {
				c.ends(0, "Completed")
			}
		}
		ended, err := c.follow()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(ended.ExitCode).To(BeZero())
		g.Expect(c.out.String()).To(Equal("one\ntwo\nthree\n • four ...\n"))
		g.Expect(since).To(Equal([]string{"05.2", "05.3"}))
	})
}

func TestFollowNeedsTheRightToReadLogs(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	c.openLog = func(context.Context, *corev1.Pod, *corev1.PodLogOptions) (io.ReadCloser, error) {
		return nil, apierrors.NewForbidden(schema.GroupResource{Resource: "pods/log"}, "x", nil)
	}
	_, err := c.follow()
	g.Expect(err).To(MatchError(ContainSubstring(`read the log of pod draconform-a1b2-x: pods/log "x" is forbidden`)))
}

func TestFollowOfAnEvictedPod(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	c.atLog = func() {
		c.setStatus(func(pod *corev1.Pod) {
			pod.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "The node was low on resource: memory."}
		})
	}
	_, err := c.follow()
	g.Expect(err).To(MatchError("pod draconform-a1b2-x has failed: Evicted The node was low on resource: memory."))
}
