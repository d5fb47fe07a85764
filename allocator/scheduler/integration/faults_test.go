// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// answer returns a response of the API server with the given status, such as
// 409.
func answer(r *http.Request, code int, reason metav1.StatusReason) *http.Response {
	body := fmt.Sprintf(`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "injected", "reason": %q, "code": %d}`, reason, code)
	return &http.Response{
		StatusCode: code, Request: r, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

func isStatusUpdate(r *http.Request) bool {
	return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/resourceclaims/") && strings.HasSuffix(r.URL.Path, "/status")
}

func isBinding(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/binding")
}

func TestConflictsAreRetried(t *testing.T) {
	c := newCluster(t)
	c.node("a", 1)
	var conflicts atomic.Int32
	c.startScheduler(func(r *http.Request) *http.Response {
		if isStatusUpdate(r) && conflicts.Add(1) <= 3 {
			return answer(r, http.StatusConflict, metav1.StatusReasonConflict)
		}
		return nil
	})
	c.podWithDevice("p")
	c.Eventually(c.nodeOf("p")).Should(Equal("a"))
	c.Expect(conflicts.Load()).To(BeNumerically(">=", 4))
	c.Expect(c.allocated()).To(HaveLen(1))
}

func TestFailedBindReleasesTheClaimAndIsRetried(t *testing.T) {
	c := newCluster(t)
	c.node("a", 1)
	var failures atomic.Int32
	failures.Store(2)
	c.startScheduler(func(r *http.Request) *http.Response {
		if isBinding(r) && failures.Add(-1) >= 0 {
			return answer(r, http.StatusInternalServerError, metav1.StatusReasonInternalError)
		}
		return nil
	})
	c.podWithDevice("p")
	c.Eventually(c.nodeOf("p")).Should(Equal("a"))
	c.Expect(failures.Load()).To(BeNumerically("<", 0))
	c.Expect(c.allocated()).To(HaveLen(1))
	c.Expect(c.claims()[0].Status.ReservedFor).To(HaveLen(1))
}

func TestDevicesOfAFailedReservationGoToTheNextPod(t *testing.T) {
	c := newCluster(t)
	c.node("a", 1)
	c.startScheduler(func(r *http.Request) *http.Response {
		// The claim of this pod can never be written.
		if isStatusUpdate(r) && strings.Contains(r.URL.Path, "/doomed/") {
			return answer(r, http.StatusForbidden, metav1.StatusReasonForbidden)
		}
		return nil
	})
	c.claim("doomed", 1)
	c.claim("lucky", 1)
	c.podFrom("doomed", func(p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "c", ResourceClaimName: ptr.To("doomed")}}
	})
	c.Eventually(func() []string {
		claim, err := c.ResourceV1().ResourceClaims("default").Get(c.ctx, "doomed", metav1.GetOptions{})
		c.Expect(err).NotTo(HaveOccurred())
		return claim.Finalizers
	}).ShouldNot(BeEmpty(), "PreBind has begun")
	c.pod("lucky", "lucky")
	c.Eventually(c.nodeOf("lucky")).Should(Equal("a"))
}

func TestSchedulerThatStopsBetweenReserveAndPreBindLeavesNoAllocation(t *testing.T) {
	c := newCluster(t)
	c.node("a", 1)
	reached := make(chan struct{})
	var once sync.Once
	dying := c.startScheduler(func(r *http.Request) *http.Response {
		if isStatusUpdate(r) {
			once.Do(func() { close(reached) })
			<-r.Context().Done() // The request is never sent.
			return &http.Response{}
		}
		return nil
	})
	c.podWithDevice("p")
	c.Eventually(reached).Should(BeClosed())
	dying.stop()
	c.Expect(c.nodeOf("p")()).To(BeEmpty())
	c.Expect(c.allocated()).To(BeEmpty())

	c.podWithDevice("q")
	c.startScheduler(nil)
	c.Eventually(c.bound).Should(HaveLen(1))
	c.Expect(c.allocated()).To(Equal([]string{"a/gpu-0"}))
}

func TestRestartedSchedulerDeletesTheStaleClaimForExtendedResources(t *testing.T) {
	c := newCluster(t)
	c.node("a", 1)
	reached := make(chan struct{})
	var once sync.Once
	dying := c.startScheduler(func(r *http.Request) *http.Response {
		if isBinding(r) {
			once.Do(func() { close(reached) })
			<-r.Context().Done()
			return &http.Response{}
		}
		return nil
	})
	c.podFrom("p", func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"example.com/gpu": resource.MustParse("1")}
	})
	c.Eventually(reached).Should(BeClosed())
	c.Expect(c.allocated()).To(HaveLen(1))
	left := c.claims()[0].UID
	dying.stop()

	c.startScheduler(nil)
	c.Eventually(c.nodeOf("p")).Should(Equal("a"))
	c.Expect(c.claims()).To(HaveLen(1))
	c.Expect(c.claims()[0].UID).NotTo(Equal(left))
	c.Expect(c.allocated()).To(HaveLen(1))
}

func TestExpiredWatchIsResumedWithoutAllocatingADeviceTwice(t *testing.T) {
	c := newCluster(t)
	c.node("a", 10)
	var watches atomic.Int32
	c.startScheduler(func(r *http.Request) *http.Response {
		if r.URL.Query().Get("watch") == "true" && strings.HasSuffix(r.URL.Path, "/resourceclaims") {
			if n := watches.Add(1); n <= 3 {
				return answer(r, http.StatusGone, metav1.StatusReasonExpired)
			}
			q := r.URL.Query()
			q.Set("timeoutSeconds", "1")
			r.URL.RawQuery = q.Encode()
		}
		return nil
	})
	for i := range 30 {
		c.podWithDevice(fmt.Sprintf("p%02d", i))
	}
	c.Eventually(c.bound).Should(HaveLen(10))
	c.Expect(c.allocated()).To(HaveLen(10))
	c.Consistently(c.bound, 2*time.Second).Should(HaveLen(10))
	c.Expect(watches.Load()).To(BeNumerically(">", 3))
	c.remove(c.bound()[0])
	c.Eventually(func() int { return len(c.bound()) }).Should(Equal(10), "the next pod gets the device")
	c.Expect(c.allocated()).To(HaveLen(10))
}
