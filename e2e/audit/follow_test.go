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
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/audit"
)

// publish creates or updates a slice of a node's pool and returns when it is
// stored.
func publish(t *testing.T, client kubernetes.Interface, name, node string, offered ...resourceapi.Device) {
	t.Helper()
	s := slice(node, onNode(node), makeDevices(offered...))
	s.Name, s.UID = name, types.UID(name)
	_, err := client.ResourceV1().ResourceSlices().Create(t.Context(), &s, metav1.CreateOptions{})
	if err != nil {
		_, err = client.ResourceV1().ResourceSlices().Update(t.Context(), &s, metav1.UpdateOptions{})
	}
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

func allocate(t *testing.T, client kubernetes.Interface, c resourceapi.ResourceClaim) {
	t.Helper()
	_, err := client.ResourceV1().ResourceClaims("ns").Create(t.Context(), &c, metav1.CreateOptions{})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

func read(t *testing.T, f *audit.Follower) audit.View {
	t.Helper()
	v, err := f.Read(t.Context())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return v
}

// offeredIn returns the names of the devices in the slices of each state.
func offeredIn(states [][]*resourceapi.ResourceSlice) [][]string {
	var all [][]string
	for _, state := range states {
		names := []string{}
		for _, s := range state {
			for _, d := range s.Spec.Devices {
				names = append(names, d.Name)
			}
		}
		all = append(all, names)
	}
	return all
}

// following returns a Follower after its watches have caught up.
func following(t *testing.T, client kubernetes.Interface, drivers ...string) *audit.Follower {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := audit.Follow(ctx, client, drivers)
	t.Cleanup(func() {
		cancel()
		f.Wait(context.Background())
	})
	NewWithT(t).Eventually(func() bool { return read(t, f).Seamless }).WithTimeout(time.Minute).Should(BeTrue())
	return f
}

func TestFollowerKnowsAllStatesBetweenTwoViews(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	publish(t, client, "one", "n1", device("a"))
	f := following(t, client)
	v := read(t, f)
	g.Expect([]any{v.Offered, v.Earlier}).To(HaveEach(BeEmpty()), "nothing happened")

	publish(t, client, "one", "n1", device("b"))
	publish(t, client, "two", "n2", device("c"))
	publish(t, client, "one", "n1", device("d"))
	allocate(t, client, one("x", result("n1", "a")))
	g.Expect(client.ResourceV1().ResourceClaims("ns").Delete(t.Context(), "x", metav1.DeleteOptions{})).To(Succeed())
	allocate(t, client, one("y", result("n1", "a")))
	v = read(t, f)
	g.Expect(v.Seamless).To(BeTrue())
	g.Expect(offeredIn(v.Offered)).To(Equal([][]string{{"b"}, {"b", "c"}}), "and then what the view has")
	g.Expect(v.Slices).To(HaveLen(2))
	g.Expect(v.Earlier).To(HaveExactElements(HaveLen(1), BeEmpty()), "with x and without, and then what the view has")
	g.Expect(v.Claims).To(HaveLen(1))
	v = read(t, f)
	g.Expect([]any{v.Offered, v.Earlier}).To(HaveEach(BeEmpty()), "each state is reported once")
}

// A node may have a label for less time than passes between two views.
func TestFollowerKnowsLabelsBetweenTwoViews(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	nodes := client.CoreV1().Nodes()
	f := following(t, client)
	g.Eventually(func() bool { return read(t, f).SeamlessNodes }).WithTimeout(time.Minute).Should(BeTrue())

	n := node("n1", "0")
	_, err := nodes.Create(t.Context(), &n, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	for _, change := range []func(){
		func() { n.Status.Phase = corev1.NodeRunning },
		func() { n.Labels = map[string]string{"host": "1"} },
	} {
		change()
		_, err := nodes.Update(t.Context(), &n, metav1.UpdateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
	}
	v := read(t, f)
	g.Expect(v.SeamlessNodes).To(BeTrue())
	var hosts []string
	for _, state := range v.Labelled {
		for _, n := range state {
			hosts = append(hosts, n.Labels["host"])
		}
	}
	g.Expect(hosts).To(Equal([]string{"0"}), "and then what the view has")
}

// Changes of other drivers' devices are not recorded and cause no gap.
func TestFollowerFollowsDriversOfItsOwn(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	publish(t, client, "one", "n1", device("a"))
	f := following(t, client, "another.example.com")
	publish(t, client, "one", "n1", device("b"))
	allocate(t, client, one("x", result("n1", "a")))
	s := slice("n2", onNode("n2"), makeDevices(device("c")), of("another.example.com"))
	for _, s.Name = range []string{"two", "three"} {
		_, err := client.ResourceV1().ResourceSlices().Create(t.Context(), s.DeepCopy(), metav1.CreateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
	}
	v := read(t, f)
	g.Expect(v.Seamless).To(BeTrue())
	g.Expect(v.Earlier).To(BeEmpty())
	g.Expect(offeredIn(v.Offered)).To(ConsistOf(ConsistOf("b", "c")), "of the other driver as in the view")
	g.Expect(v.Claims).To(HaveLen(1))
}

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
