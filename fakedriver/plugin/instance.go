package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	metadatav1alpha1 "k8s.io/dynamic-resource-allocation/api/metadata/v1alpha1"
	metadatav1beta1 "k8s.io/dynamic-resource-allocation/api/metadata/v1beta1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
)

// instance is one driver while it runs.
type instance struct {
	ctx    context.Context // ends with close
	cancel context.CancelFunc
	config Config
	name   string
	dir    string
	damage []string

	store        *claims.Store
	recorder     *calls.Recorder
	health       *health
	pool         *pool
	publication  *publication
	registration *registration
	service      *kubeletplugin.Helper

	// changing is held while what is published changes.
	changing sync.Mutex
}

// startInstance starts a driver, which publishes what it did before or, if there
// is nothing, the preset. It calls fail when it cannot go on.
func startInstance(parent context.Context, config Config, name, dir string, preset control.Published, fail context.CancelCauseFunc) (*instance, error) {
	published, damage, err := loadState(dir, preset, func(published control.Published) error {
		_, err := compile(config, published)
		return err
	})
	if err != nil {
		return nil, err
	}
	compiled := &content{inventory: &describe.Inventory{}}
	if isKnown(published) {
		if compiled, err = compile(config, published); err != nil {
			return nil, err
		}
	}
	ctx := klog.NewContext(parent, klog.FromContext(parent).WithValues("driver", name))
	ctx, cancel := context.WithCancel(ctx)
	i := &instance{ctx: ctx, cancel: cancel, config: config, name: name, dir: dir, recorder: &calls.Recorder{}}
	if damage != "" {
		klog.FromContext(ctx).Error(nil, "Kept what was corrupt under another name", "reason", damage)
		i.damage = append(i.damage, damage)
	}
	if err := i.start(compiled, fail); err != nil {
		i.close()
		return nil, err
	}
	if isKnown(published) {
		if err := i.publication.change(ctx, published, compiled); err != nil {
			// The kubelet can be served all the same.
			klog.FromContext(ctx).Error(err, "Could not publish yet what was published before")
			i.publication.resume(published, compiled)
		}
	}
	klog.FromContext(ctx).Info("Started", "node", config.NodeName)
	return i, nil
}

// start starts everything but the publication.
func (i *instance) start(compiled *content, fail context.CancelCauseFunc) (err error) {
	i.pool = newPool(i.ctx, i.config, i.name)
	i.publication = newPublication(i.ctx, i.config, i.name, i.pool)
	i.registration = &registration{}
	i.health = newHealth(compiled.pool(i.config.NodeName), compiled.devices())
	i.store, err = claims.Open(i.ctx, claims.Config{
		Driver:          i.name,
		Source:          i.source(compiled),
		DataDir:         i.dir,
		OlderCheckpoint: i.config.OlderCheckpoint,
		Shared:          i.config.PodUID != "",
		CDIDir:          i.config.CDIDir,
		Affinity:        i.rules,
		InUse:           i.inUse,
	})
	if err != nil {
		return err
	}
	i.damage = append(i.damage, i.store.Damage()...)
	driver := &driver{store: i.store, health: i.health, dropped: i.publication.dropped, fail: fail}
	i.pool.handleError = driver.HandleError
	i.registration.start = func(intercept kubeletplugin.Option) (*kubeletplugin.Helper, error) {
		return kubeletplugin.Start(i.ctx, driver, append(i.options(), kubeletplugin.DRAService(false), intercept)...)
	}
	i.service, err = kubeletplugin.Start(i.ctx, driver, append(i.options(), kubeletplugin.RegistrationService(false),
		kubeletplugin.GRPCStreamInterceptor(i.recorder.InterceptStream))...)
	if err != nil {
		return fmt.Errorf("start kubelet plugin: %w", err)
	}
	return i.registration.offer()
}

// options are what the service and the registration have in common, which come
// and go apart from each other.
func (i *instance) options() []kubeletplugin.Option {
	return []kubeletplugin.Option{
		kubeletplugin.DriverName(i.name),
		kubeletplugin.NodeName(i.config.NodeName),
		kubeletplugin.RollingUpdate(i.config.PodUID),
		kubeletplugin.KubeClient(i.config.Client),
		kubeletplugin.PluginDataDirectoryPath(i.dir),
		kubeletplugin.RegistrarDirectoryPath(i.config.RegistryDir),
		kubeletplugin.CDIDirectory(i.config.CDIDir),
		// A consumer takes the first version that it knows.
		kubeletplugin.EnableDeviceMetadata(i.config.DeviceMetadata,
			[]schema.GroupVersion{metadatav1beta1.SchemeGroupVersion, metadatav1alpha1.SchemeGroupVersion}),
		kubeletplugin.GRPCInterceptor(i.recorder.Intercept),
	}
}

// undoTimeout is how long it may take to publish what was published before, after
// a request failed.
const undoTimeout = 10 * time.Second

// publish changes what the driver publishes. If that fails, it goes on with what
// it published before.
func (i *instance) publish(ctx context.Context, published control.Published) error {
	i.changing.Lock()
	defer i.changing.Unlock()
	before, _ := i.publication.current()
	err := i.change(ctx, stamp(published))
	if err == nil || errors.Is(err, errNothingDone) || !isKnown(before) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	return errors.Join(err, i.change(ctx, before))
}

// errNothingDone says that everything is as it was.
var errNothingDone = errors.New("nothing was changed")

// change remembers what is published before it publishes that: a process that
// dies in between shall do it after its restart.
func (i *instance) change(ctx context.Context, published control.Published) error {
	compiled, err := compile(i.config, published)
	if err == nil {
		err = saveState(i.dir, published)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errNothingDone, err)
	}
	i.store.SetSource(i.source(compiled))
	i.health.setDevices(compiled.pool(i.config.NodeName), compiled.devices())
	return i.publication.change(ctx, published, compiled)
}

// status is what the driver does.
func (i *instance) status() control.Status {
	published, pending := i.publication.current()
	status := control.Status{
		Driver:     i.name,
		Published:  published,
		Registered: i.registration.done.Load(),
		Claims:     i.store.Prepared(),
		Partitions: i.store.Partitions(),
		Damage:     i.damage,
	}
	var err error
	if status.Described, err = i.store.Described(); err != nil {
		status.Damage = append(slices.Clone(status.Damage), err.Error())
	}
	if pending != nil {
		status.Pending = pending.Error()
	}
	return status
}

// close ends everything. Slices stay.
func (i *instance) close() {
	i.cancel()
	i.publication.end()
	i.pool.halt()
	i.registration.withdraw()
	i.service.Stop()
}
