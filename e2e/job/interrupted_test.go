// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// An interrupted run is terminated, so that it can clean up, and its results are
// fetched while its pod terminates.
func TestInterruptedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		c := newCluster(t)
		ctx, interrupt := context.WithCancel(t.Context())
		requests := 0
		c.atLog = func() {
			if requests++; requests == 1 {
				interrupt()
			}
		}
		c.PrependReactor("delete", "jobs", func(action clienttesting.Action) (bool, runtime.Object, error) {
			options := action.(clienttesting.DeleteActionImpl).DeleteOptions
			g.Expect(*options.PropagationPolicy).To(Equal(metav1.DeletePropagationForeground))
			g.Expect(string(*options.Preconditions.UID)).To(Equal("uid-of-the-job"))
			c.ends(1, "Error")
			// The kubelet does not report single containers of a pod that it
			// terminates.
			c.setStatus(func(pod *corev1.Pod) {
				now := metav1.Now()
				pod.DeletionTimestamp, pod.Finalizers, pod.Status = &now, []string{"test"}, running()
			})
			return false, nil, nil
		})
		began := time.Now()
		result, _, err := c.run(ctx)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(result.ExitCode).To(Equal(-1))
		g.Expect(filepath.Join(result.Folder, "report.yaml")).To(BeARegularFile())
		g.Expect(c.objects()).To(BeEmpty())
		g.Expect(time.Since(began)).To(BeNumerically("<", 10*time.Second))
	})
}

// A run that is interrupted before its pod starts has no results.
func TestInterruptedBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		c := newCluster(t)
		c.status = waiting("ContainerCreating", "")
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, interrupt)
		result, _, err := c.run(ctx)
		g.Expect(err).To(MatchError(context.Canceled))
		g.Expect(result.Folder).To(BeEmpty())
		g.Expect(c.objects()).To(BeEmpty())
	})
}
