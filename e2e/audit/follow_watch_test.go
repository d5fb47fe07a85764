// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/audit"
)

// After a relist the states in between are unknown.
func TestFollowerTellsGaps(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	watches := make(chan *watch.FakeWatcher, 10)
	client.PrependWatchReactor("resourceslices", func(clienttesting.Action) (bool, watch.Interface, error) {
		w := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 10})
		watches <- w
		return true, w, nil
	})
	publish(t, client, "one", "n1", device("a"))
	f := following(t, client)
	publish(t, client, "one", "n1", device("b")) // The watch does not report this.
	v := read(t, f)
	g.Expect(v.Seamless).To(BeFalse(), "not known yet")
	(<-watches).Error(&metav1.Status{Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired})
	g.Eventually(func() bool {
		v = read(t, f)
		g.Expect(v.Offered).To(BeEmpty())
		return v.Seamless
	}).WithTimeout(time.Minute).Should(BeTrue(), "from then on")
	g.Expect(watches).To(HaveLen(1))
}

// A change without effect on allocations is not a state, and Read does not wait
// for it.
func TestFollowerKnowsWhatMakesNoDifference(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	news := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 10})
	client.PrependWatchReactor("resourceclaims", func(clienttesting.Action) (bool, watch.Interface, error) { return true, news, nil })
	claims := client.ResourceV1().ResourceClaims("ns")
	c := one("x", result("n1", "a"))
	c.ResourceVersion = "1"
	allocate(t, client, c)
	f := following(t, client)
	read(t, f)

	c.ResourceVersion, c.Finalizers = "2", []string{"example.com/finalizer"}
	_, err := claims.Update(t.Context(), &c, metav1.UpdateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	views := make(chan audit.View)
	go func() { views <- read(t, f) }()
	g.Consistently(views).WithTimeout(200 * time.Millisecond).ShouldNot(Receive())
	news.Modify(c.DeepCopy())
	g.Expect((<-views).Earlier).To(BeEmpty())

	c.ResourceVersion, c.Status = "3", resourceapi.ResourceClaimStatus{}
	_, err = claims.Update(t.Context(), &c, metav1.UpdateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	news.Modify(c.DeepCopy())
	d := one("y", result("n1", "a"))
	allocate(t, client, d)
	news.Add(&d)
	g.Expect(read(t, f).Earlier).To(HaveExactElements(HaveLen(1)), "with x released")
}

// The event of a change without effect may arrive before the view of the
// previous state.
func TestFollowerFindsStatesBeforeWhatMakesNoDifference(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	news := watch.NewFakeWithOptions(watch.FakeOptions{})
	client.PrependWatchReactor("resourceclaims", func(clienttesting.Action) (bool, watch.Interface, error) { return true, news, nil })
	c := one("x", result("n1", "a"))
	c.ResourceVersion = "1"
	allocate(t, client, c)
	f := following(t, client)
	read(t, f)

	later := c.DeepCopy()
	later.ResourceVersion, later.Finalizers = "2", []string{"example.com/finalizer"}
	for range 2 { // The second event is received after the first has been recorded.
		news.Modify(later.DeepCopy())
	}
	read(t, f)
	_, err := client.ResourceV1().ResourceClaims("ns").Update(t.Context(), later, metav1.UpdateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	d := one("y", result("n1", "a"))
	news.Add(&d)
	news.Delete(d.DeepCopy())
	news.Modify(later.DeepCopy())
	g.Expect(read(t, f).Earlier).To(HaveExactElements(HaveLen(2)), "with y, and not a gap")
}

// Read works without watches.
func TestFollowerDoesWithoutNews(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	client.PrependWatchReactor("*", func(clienttesting.Action) (bool, watch.Interface, error) { return true, nil, errors.New("forbidden") })
	publish(t, client, "one", "n1", device("a"))
	ctx, cancel := context.WithCancel(t.Context())
	f := audit.Follow(ctx, client, nil)
	defer f.Wait(t.Context())
	defer cancel()
	read(t, f)
	publish(t, client, "one", "n1", device("b"))
	started := time.Now()
	v := read(t, f)
	g.Expect(v.Slices).To(HaveLen(1))
	g.Expect(v.Seamless).To(BeFalse())
	g.Expect(time.Since(started)).To(BeNumerically("<", 30*time.Second))
}

// A device that was offered between two views, in a slice that was deleted again, leaves
// no trace in the later view. Only events of the watch tell, and they may come late.
func TestAlarmsWaitForLateEvents(t *testing.T) {
	for name, test := range map[string]struct {
		device string
		want   []string
	}{
		"a device that existed":       {"b", nil},
		"a device that never existed": {"c", []string{"claim ns/x: device gpu.example.com/n2/c is in no slice of the newest generation of its pool"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				client := fake.NewClientset()
				events := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 10})
				client.PrependWatchReactor("resourceslices", func(clienttesting.Action) (bool, watch.Interface, error) { return true, events, nil })
				publish(t, client, "one", "n1", device("a"))
				f, a := following(t, client), audit.New(audit.Config{})
				audited := func() (texts []string) {
					for _, alarm := range a.Audit(t.Context(), read(t, f)) {
						texts = append(texts, alarm.Text)
					}
					return texts
				}
				g.Expect(audited()).To(BeEmpty())

				allocate(t, client, one("x", result("n2", test.device)))
				time.AfterFunc(8*time.Second, func() {
					s := slice("n2", onNode("n2"), makeDevices(device("b")))
					s.Name, s.UID = "two", "two"
					events.Add(&s)
					events.Delete(s.DeepCopy())
				})
				g.Expect(audited()).To(Equal(test.want))
				g.Expect(audited()).To(BeEmpty(), "nothing is reported twice, or too late")
			})
		})
	}
}
