package install_test

import (
	"context"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/fakedriver/install"
)

var options = install.Options{RunID: "run-1", Namespace: "drivers", DriverName: "mig-2.example.com", Image: "example.com/fakedriver:1"}

// newCluster returns a cluster whose DaemonSets want a pod on that many nodes.
func newCluster(nodes int, objects ...runtime.Object) *fake.Clientset {
	client := fake.NewClientset(objects...)
	client.PrependReactor("get", "daemonsets", func(action clienttesting.Action) (bool, runtime.Object, error) {
		get := action.(clienttesting.GetAction)
		object, err := client.Tracker().Get(get.GetResource(), get.GetNamespace(), get.GetName())
		if err != nil {
			return true, nil, err
		}
		set := object.(*appsv1.DaemonSet).DeepCopy()
		set.Status.DesiredNumberScheduled = int32(nodes)
		set.Status.UpdatedNumberScheduled = int32(nodes)
		set.Status.NumberReady = int32(nodes)
		return true, set, nil
	})
	client.PrependReactor("list", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		selector := action.(clienttesting.ListAction).GetListRestrictions().Fields
		all, err := client.Tracker().List(action.GetResource(), resourceapi.SchemeGroupVersion.WithKind("ResourceSlice"), "")
		if err != nil {
			return true, nil, err
		}
		selected := &resourceapi.ResourceSliceList{}
		for _, slice := range all.(*resourceapi.ResourceSliceList).Items {
			if selector.Matches(fields.Set{resourceapi.ResourceSliceSelectorDriver: slice.Spec.Driver}) {
				selected.Items = append(selected.Items, slice)
			}
		}
		return true, selected, nil
	})
	return client
}

func pod(node string, ready corev1.ConditionStatus) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: options.Namespace,
			Name:      "driver-on-" + node,
			Labels:    map[string]string{install.RunLabel: options.RunID, install.DriverLabel: options.DriverName},
		},
		Spec: corev1.PodSpec{NodeName: node},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready, Message: "probe says no"}},
			ContainerStatuses: []corev1.ContainerStatus{{
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off"}},
			}},
		},
	}
}

// slice returns a slice of a pool.
func slice(name, driver, pool string, generation, count int64) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: resourceapi.ResourceSliceSpec{
			Driver: driver,
			Pool:   resourceapi.ResourcePool{Name: pool, Generation: generation, ResourceSliceCount: count},
		},
	}
}

func shortly(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func TestInstall(t *testing.T) {
	g := NewWithT(t)
	client := newCluster(2,
		pod("n1", corev1.ConditionTrue), pod("n2", corev1.ConditionTrue),
		slice("a", options.DriverName, "n1", 1, 1),
		slice("b", options.DriverName, "n2", 3, 2), slice("c", options.DriverName, "n2", 3, 2),
		slice("d", options.DriverName, "n2", 2, 1),
	)
	g.Expect(install.Install(t.Context(), client, options)).To(Succeed())
	g.Expect(install.Install(t.Context(), client, options)).To(Succeed(), "installing again")

	name := options.DriverName
	set, err := client.AppsV1().DaemonSets(options.Namespace).Get(t.Context(), name, metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	template := set.Spec.Template
	g.Expect(template.Labels).To(HaveKeyWithValue(install.RunLabel, options.RunID))
	for key, value := range set.Spec.Selector.MatchLabels {
		g.Expect(template.Labels).To(HaveKeyWithValue(key, value))
	}
	container := template.Spec.Containers[0]
	g.Expect(container.Image).To(Equal(options.Image))
	g.Expect(container.Args).To(ContainElement("--driver-name=" + name))
	g.Expect(container.VolumeMounts[0].MountPath).To(Equal("/var/lib/kubelet/plugins/" + name))
	g.Expect(template.Spec.Volumes[0].HostPath.Path).To(Equal(container.VolumeMounts[0].MountPath))

	account, err := client.CoreV1().ServiceAccounts(options.Namespace).Get(t.Context(), template.Spec.ServiceAccountName, metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	binding, err := client.RbacV1().ClusterRoleBindings().Get(t.Context(), name, metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(binding.Subjects).To(HaveLen(1))
	g.Expect(binding.Subjects[0].Name).To(Equal(account.Name))
	g.Expect(binding.Subjects[0].Namespace).To(Equal(account.Namespace))
	role, err := client.RbacV1().ClusterRoles().Get(t.Context(), binding.RoleRef.Name, metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	class, err := client.ResourceV1().DeviceClasses().Get(t.Context(), name, metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(class.Spec.Selectors[0].CEL.Expression).To(Equal(`device.driver == "mig-2.example.com"`))
	for _, object := range []metav1.Object{set, account, binding, role, class} {
		g.Expect(object.GetLabels()).To(And(
			HaveKeyWithValue(install.RunLabel, options.RunID),
			HaveKeyWithValue(install.DriverLabel, name),
		), object.GetName())
	}
}

func TestInstallSaysWhyItIsNotReady(t *testing.T) {
	for _, test := range []struct {
		name    string
		nodes   int
		objects []runtime.Object
		message []string
	}{
		{"no node", 0, nil, []string{"finds no node to run on"}},
		{"no pod yet", 1, nil, []string{"wants 1 pods and has 0"}},
		{"a pod that is not ready", 2, []runtime.Object{
			pod("n1", corev1.ConditionTrue), pod("n2", corev1.ConditionFalse),
		}, []string{"the pod is not ready on n2", "node n2, pod drivers/driver-on-n2: Running; probe says no; CrashLoopBackOff back-off", "fake logs"}},
		{"slices that are missing", 2, []runtime.Object{
			pod("n1", corev1.ConditionTrue), pod("n2", corev1.ConditionTrue),
			slice("a", options.DriverName, "n1", 1, 1),
			slice("b", options.DriverName, "n2", 1, 1), slice("c", options.DriverName, "n2", 2, 2),
		}, []string{"the pool is not complete on n2", "node n2, pod"}},
		{"slices of another driver", 1, []runtime.Object{
			pod("n2", corev1.ConditionTrue), slice("a", "other.example.com", "n2", 1, 1),
		}, []string{"the pool is not complete on n2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			err := install.Install(shortly(t), newCluster(test.nodes, test.objects...), options)
			g.Expect(err).To(MatchError(context.DeadlineExceeded))
			for _, message := range test.message {
				g.Expect(err).To(MatchError(ContainSubstring(message)))
			}
			g.Expect(strings.Contains(err.Error(), "node n1, pod")).To(BeFalse(), "only nodes with a problem are described")
		})
	}
}

func TestInstallLeavesOtherRunsAlone(t *testing.T) {
	g := NewWithT(t)
	client := newCluster(1, pod("n1", corev1.ConditionTrue), slice("a", options.DriverName, "n1", 1, 1))
	g.Expect(install.Install(t.Context(), client, options)).To(Succeed())

	other := options
	other.RunID = "run-2"
	err := install.Install(shortly(t), client, other)
	g.Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
	g.Expect(install.Uninstall(shortly(t), client, other)).To(MatchError(ContainSubstring("it belongs to another run")))
	_, err = client.ResourceV1().DeviceClasses().Get(t.Context(), options.DriverName, metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
}

func TestTwoDriversSideBySide(t *testing.T) {
	g := NewWithT(t)
	client := newCluster(1, pod("n1", corev1.ConditionTrue),
		slice("a", options.DriverName, "n1", 1, 1), slice("b", install.DefaultDriverName, "n1", 1, 1))
	second := pod("n1", corev1.ConditionTrue)
	second.Name, second.Labels = "second", map[string]string{install.RunLabel: options.RunID, install.DriverLabel: install.DefaultDriverName}
	g.Expect(client.Tracker().Add(second)).To(Succeed())
	defaults := install.Options{RunID: options.RunID, Namespace: options.Namespace}
	g.Expect(install.Install(t.Context(), client, options)).To(Succeed())
	g.Expect(install.Install(t.Context(), client, defaults)).To(Succeed())

	g.Expect(client.CoreV1().Pods(options.Namespace).Delete(t.Context(), "driver-on-n1", metav1.DeleteOptions{})).To(Succeed())
	g.Expect(install.Uninstall(t.Context(), client, options)).To(Succeed())
	sets, err := client.AppsV1().DaemonSets(options.Namespace).List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(sets.Items).To(HaveLen(1))
	g.Expect(sets.Items[0].Name).To(Equal(install.DefaultDriverName))
	g.Expect(sets.Items[0].Spec.Template.Spec.Containers[0].Image).To(Equal(install.DefaultImage))
	slices, err := client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(slices.Items).To(HaveLen(1))
	g.Expect(slices.Items[0].Spec.Driver).To(Equal(install.DefaultDriverName))
}

func TestUninstall(t *testing.T) {
	g := NewWithT(t)
	client := newCluster(1, pod("n1", corev1.ConditionTrue), slice("a", options.DriverName, "n1", 1, 1))
	g.Expect(install.Install(t.Context(), client, options)).To(Succeed())

	err := install.Uninstall(shortly(t), client, options)
	g.Expect(err).To(And(MatchError(context.DeadlineExceeded), MatchError(ContainSubstring("wait until 1 pods of driver mig-2.example.com are gone"))))
	g.Expect(client.CoreV1().Pods(options.Namespace).Delete(t.Context(), "driver-on-n1", metav1.DeleteOptions{})).To(Succeed())
	g.Expect(install.Uninstall(t.Context(), client, options)).To(Succeed())
	g.Expect(install.Uninstall(t.Context(), client, options)).To(Succeed(), "removing what is gone")

	for name, left := range leftovers(g, client) {
		g.Expect(left).To(BeZero(), name)
	}
}

func leftovers(g *WithT, client *fake.Clientset) map[string]int {
	ctx, all := context.Background(), metav1.ListOptions{}
	accounts, err := client.CoreV1().ServiceAccounts("").List(ctx, all)
	g.Expect(err).NotTo(HaveOccurred())
	roles, err := client.RbacV1().ClusterRoles().List(ctx, all)
	g.Expect(err).NotTo(HaveOccurred())
	bindings, err := client.RbacV1().ClusterRoleBindings().List(ctx, all)
	g.Expect(err).NotTo(HaveOccurred())
	sets, err := client.AppsV1().DaemonSets("").List(ctx, all)
	g.Expect(err).NotTo(HaveOccurred())
	classes, err := client.ResourceV1().DeviceClasses().List(ctx, all)
	g.Expect(err).NotTo(HaveOccurred())
	slices, err := client.ResourceV1().ResourceSlices().List(ctx, all)
	g.Expect(err).NotTo(HaveOccurred())
	return map[string]int{
		"service accounts": len(accounts.Items), "cluster roles": len(roles.Items), "bindings": len(bindings.Items),
		"daemon sets": len(sets.Items), "device classes": len(classes.Items), "slices": len(slices.Items),
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(*install.Options)
		message string
	}{
		{"no run", func(o *install.Options) { o.RunID = "" }, `"" is no run id`},
		{"no label value", func(o *install.Options) { o.RunID = "a/b" }, `"a/b" is no run id`},
		{"no namespace", func(o *install.Options) { o.Namespace = "" }, "the namespace is missing"},
		{"no domain", func(o *install.Options) { o.DriverName = "MIG" }, `"MIG" is no name for a driver`},
		{"too long", func(o *install.Options) { o.DriverName = strings.Repeat("a", 64) }, "is no name for a driver"},
	} {
		changed := options
		test.change(&changed)
		NewWithT(t).Expect(install.Install(t.Context(), newCluster(1), changed)).
			To(MatchError(ContainSubstring(test.message)), test.name)
	}
}
