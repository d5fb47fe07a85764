package run

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/fakedriver/install"
)

var _ operations.Versions = &fakes{}

// Change implements [operations.Versions].
func (f *fakes) Change(ctx context.Context, driver string, to operations.DriverVersion) error {
	options, err := f.options(driver)
	if err != nil {
		return err
	}
	options.Older, options.Overlap, options.Surge = to.Older, to.Overlap, to.Surge
	i := slices.IndexFunc(f.installed, func(o install.Options) bool { return o.DriverName == driver })
	f.installed[i] = options
	return install.Apply(ctx, f.client, options)
}

// Changed implements [operations.Versions].
func (f *fakes) Changed(ctx context.Context, driver string) error {
	options, err := f.options(driver)
	if err != nil {
		return err
	}
	return install.Install(ctx, f.client, options)
}

// Running implements [operations.Versions].
func (f *fakes) Running(ctx context.Context, driver, node string) (int, error) {
	options, err := f.options(driver)
	if err != nil {
		return 0, err
	}
	return install.Running(ctx, f.client, options, node)
}
