// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package staticpod

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/internal/fake"
)

const (
	manifestPath = "etc/kubernetes/manifests/kube-scheduler.yaml"
	stoppedPath  = "etc/kubernetes/draconform-stopped-kube-scheduler.yaml"
	parkedPath   = "etc/kubernetes/draconform-parked-kube-scheduler.yaml"
	draftPaths   = "etc/kubernetes/draconform-draft-*"
	// pod exists until the kubelet has forgotten the pod.
	pod = "var/lib/kubelet/pods/uid-1"
)

// newNode returns a control plane node without a manifest.
func newNode(t *testing.T) *fake.Node {
	t.Helper()
	n := fake.NewNode(t, "etc/kubernetes/manifests")
	n.Stub("curl", "exit 7")
	return n
}

// newRunning returns a control plane node on which a component runs with the manifest "old".
func newRunning(t *testing.T, component string) *fake.Node {
	t.Helper()
	n := newNode(t)
	n.Write("etc/kubernetes/manifests/"+component+".yaml", "old\n")
	n.Write(pod+"/here", "")
	n.Write("var/log/pods/kube-system_"+component+"-c_uid-1/"+component+"/0.log", "")
	n.Write("var/log/pods/kube-system_"+component+"-c_uid-1/"+component+"/1.log", "")
	return n
}

const soon = time.Minute

// onlyManifest checks the content of the manifest, and that no other files are left.
func onlyManifest(g *WithT, n *fake.Node, content string) {
	g.Expect(n.Read(manifestPath)).To(Equal(content))
	g.Expect(n.Files("etc/kubernetes/*")).To(Equal([]string{"etc/kubernetes/manifests"}))
	g.Expect(n.Files("etc/kubernetes/manifests/*")).To(HaveLen(1))
}

func TestSwapWaitsUntilTheKubeletForgetsThePod(t *testing.T) {
	g := NewWithT(t)
	n := newRunning(t, "kube-scheduler")
	swap := n.Start(Swap, "kube-scheduler", "new\n", "")
	g.Eventually(func() []string { return n.Files(parkedPath) }).WithTimeout(soon).ShouldNot(BeEmpty())
	g.Consistently(func() []string { return n.Files(manifestPath) }).WithTimeout(300 * time.Millisecond).Should(BeEmpty())
	n.Remove(pod)
	out, err := swap.Wait()
	g.Expect(err).NotTo(HaveOccurred(), out)
	g.Expect(out).To(Equal("swapped"))
	onlyManifest(g, n, "new\n")
	g.Expect(n.Info(manifestPath).Mode().Perm()).To(BeEquivalentTo(0o600), "only its owner can read a manifest")
}

// A kubelet that has removed the folder of a pod may still know the pod until its next round.
func TestSwapWaitsForOrphanedPods(t *testing.T) {
	g := NewWithT(t)
	n := newRunning(t, "kube-scheduler")
	n.Stub("curl", `cd "$(dirname "$0")/.." && cat metrics`)
	metrics := func(terminating, terminated string) {
		n.Write("metrics", `kubelet_working_pods{config="desired",lifecycle="sync",static="true"} 3
kubelet_working_pods{config="orphan",lifecycle="terminated",static=""} 2
kubelet_working_pods{config="orphan",lifecycle="terminating",static="true"} `+terminating+`
kubelet_working_pods{config="orphan",lifecycle="terminated",static="true"} `+terminated+"\n")
	}
	metrics("1", "0")
	swap := n.Start(Swap, "kube-scheduler", "new\n", "")
	g.Eventually(func() []string { return n.Files(parkedPath) }).WithTimeout(soon).ShouldNot(BeEmpty())
	n.Remove(pod)
	for _, step := range [][2]string{{"1", "0"}, {"0", "1"}} {
		metrics(step[0], step[1])
		g.Consistently(func() []string { return n.Files(manifestPath) }).WithTimeout(500 * time.Millisecond).Should(BeEmpty())
	}
	metrics("0", "0")
	out, err := swap.Wait()
	g.Expect(err).NotTo(HaveOccurred(), out)
	onlyManifest(g, n, "new\n")
}

func TestSwapKeepsAnUnchangedManifest(t *testing.T) {
	g := NewWithT(t)
	n := newRunning(t, "kube-scheduler")
	n.Write(parkedPath, "older\n") // as left by a swap that was interrupted at its very end
	before := n.Info(manifestPath).ModTime()
	out, err := n.Run(Swap, "kube-scheduler", "new\n", "old")
	g.Expect(err).NotTo(HaveOccurred(), out)
	g.Expect(out).To(BeEmpty())
	g.Expect(n.Info(manifestPath).ModTime()).To(Equal(before))
	onlyManifest(g, n, "old\n")
}

func TestSwapRestartsTheSameManifest(t *testing.T) {
	g := NewWithT(t)
	n := newRunning(t, "kube-scheduler")
	swap := n.Start(Swap, "kube-scheduler", "old\n", "")
	g.Eventually(func() []string { return n.Files(manifestPath) }).WithTimeout(soon).Should(BeEmpty())
	n.Remove(pod)
	out, err := swap.Wait()
	g.Expect(err).NotTo(HaveOccurred(), out)
	g.Expect(out).To(Equal("swapped"))
	onlyManifest(g, n, "old\n")
}

// A parked manifest is replaced even if its content is the one that may stay.
func TestSwapReplacesAParkedManifest(t *testing.T) {
	g := NewWithT(t)
	n := newNode(t)
	n.Write(parkedPath, "old\n")
	out, err := n.Run(Swap, "kube-scheduler", "new\n", "old")
	g.Expect(err).NotTo(HaveOccurred(), out)
	g.Expect(out).To(Equal("swapped"))
	onlyManifest(g, n, "new\n")
}

func TestSwapStartsAStoppedComponent(t *testing.T) {
	for name, path := range map[string]string{"stopped": stoppedPath, "interrupted": parkedPath} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			n := newNode(t)
			n.Write(path, "old\n")
			n.Write("etc/kubernetes/draconform-draft-kube-scheduler-1.yaml", "ne")
			out, err := n.Run(Swap, "kube-scheduler", "new\n", "")
			g.Expect(err).NotTo(HaveOccurred(), out)
			g.Expect(out).To(Equal("swapped"))
			onlyManifest(g, n, "new\n")
		})
	}
}

// If a change is interrupted, its swap keeps running. Another swap then restores the old manifest.
func TestConcurrentSwapsAreSerialized(t *testing.T) {
	g := NewWithT(t)
	n := newRunning(t, "kube-scheduler")
	first := n.Start(Swap, "kube-scheduler", "first\n", "")
	g.Eventually(func() []string { return n.Files(parkedPath) }).WithTimeout(soon).ShouldNot(BeEmpty())
	second := n.Start(Swap, "kube-scheduler", "second\n", "")
	g.Consistently(func() []string { return n.Files(draftPaths) }).WithTimeout(500*time.Millisecond).Should(HaveLen(1), "that of the first one")
	n.Remove(pod)
	out, err := first.Wait()
	g.Expect(err).NotTo(HaveOccurred(), out)
	out, err = second.Wait()
	g.Expect(err).NotTo(HaveOccurred(), out)
	onlyManifest(g, n, "second\n")
}

// A swap that is interrupted by the end of its node leaves the manifest parked, not stopped. It can be repeated.
func TestInterruptedSwapLeavesTheManifestParked(t *testing.T) {
	g := NewWithT(t)
	n := newRunning(t, "kube-scheduler")
	swap := n.Start(Swap, "kube-scheduler", "new\n", "")
	g.Eventually(func() []string { return n.Files(parkedPath) }).WithTimeout(soon).ShouldNot(BeEmpty())
	swap.Kill()
	out, err := n.Run(Read, "kube-scheduler")
	g.Expect(err).NotTo(HaveOccurred(), out)
	g.Expect(out).To(Equal("parked\nold"))
	n.Remove(pod)
	out, err = n.Run(Swap, "kube-scheduler", "new\n", "")
	g.Expect(err).NotTo(HaveOccurred(), out)
	onlyManifest(g, n, "new\n")
}

// An API server that does not listen any more waits for its watches and must be killed.
func TestSwapKillsAnAPIServerThatDoesNotListen(t *testing.T) {
	g := NewWithT(t)
	n := newRunning(t, "kube-apiserver")
	n.Stub("pkill", `echo "$@" >killed; rm -r `+pod)
	out, err := n.Run(Swap, "kube-apiserver", "new\n", "")
	g.Expect(err).NotTo(HaveOccurred(), out)
	g.Expect(n.Read("killed")).To(Equal("--signal KILL --exact kube-apiserver\n"))
	g.Expect(n.Read("etc/kubernetes/manifests/kube-apiserver.yaml")).To(Equal("new\n"))
}

func TestKeepPods(t *testing.T) {
	g := NewWithT(t)
	n := newRunning(t, "kube-scheduler")
	const text, end = "apiVersion: v1\nmetadata:\n", "  name: kube-scheduler\nspec: {}\n"
	n.Write(manifestPath, text+end)
	n.Write("var/log/pods/kube-system_kube-scheduler-c_uid-0/kube-scheduler/0.log", "of a removed pod")
	n.Write("etc/kubernetes/manifests/etcd.yaml", text) // no pod of it has ever run
	for range 2 {
		out, err := n.Run(`cd "$1"` + KeepPods)
		g.Expect(err).NotTo(HaveOccurred(), out)
		g.Expect(n.Read(manifestPath)).To(Equal(text + "  uid: uid-1\n" + end))
		g.Expect(n.Read("etc/kubernetes/manifests/etcd.yaml")).To(Equal(text))
	}
	g.Expect(n.Info(manifestPath).Mode().Perm()).To(BeEquivalentTo(0o600))
	g.Expect(n.Files("etc/kubernetes/*")).To(HaveLen(1))
}

func TestNewestLog(t *testing.T) {
	g := NewWithT(t)
	n := newNode(t)
	n.Write("var/log/pods/kube-system_kube-scheduler-c_uid-1/kube-scheduler/4.log", "last line\n")
	for uid, want := range map[string]string{"": "4", "uid-1": "4", "uid-2": ""} {
		out, err := n.Run(NewestLog+LogNumber, "kube-scheduler", uid)
		g.Expect(err).NotTo(HaveOccurred(), out)
		g.Expect(out).To(Equal(want), "of %q", uid)
	}
	out, err := n.Run(NewestLog+`cat "$log"`, "kube-scheduler", "")
	g.Expect(err).NotTo(HaveOccurred(), out)
	g.Expect(out).To(Equal("last line"))
	out, err = n.Run(NewestLog+LogNumber, "kube-apiserver", "")
	g.Expect(err).NotTo(HaveOccurred(), out)
	g.Expect(out).To(BeEmpty(), "it has no log")
}

// The log of a restarted container may still be empty. The previous log contains the reason why it ended.
func TestLastLinesAreOfTheNewestLogWithContent(t *testing.T) {
	g := NewWithT(t)
	n := newNode(t)
	const logs = "var/log/pods/kube-system_kube-scheduler-c_uid-1/kube-scheduler/"
	n.Write(logs+"4.log", "no such flag\n")
	lines := func() string {
		out, err := n.Run(NewestLog+LastLines, "kube-scheduler", "")
		g.Expect(err).NotTo(HaveOccurred(), out)
		return out
	}
	n.Write(logs+"5.log", "")
	g.Expect(lines()).To(Equal("no such flag"))
	n.Write(logs+"5.log", "another reason\n")
	g.Expect(lines()).To(Equal("another reason"))
}
