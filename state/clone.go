package state

import "reflect"

// Clone returns a deep copy: writing to one never shows in the other.
func (u *UserData) Clone() *UserData { return copied(u) }

// Clone returns a deep copy.
func (p Phase) Clone() Phase { return copied(p) }

// CloneKeywords returns a deep copy.
func CloneKeywords(ks []Keyword) []Keyword { return copied(ks) }

// copied copies a value with all that its pointers, lists and maps hold. What stands behind an interface is shared.
func copied[T any](v T) T {
	deepen(reflect.ValueOf(&v).Elem())
	return v
}

// deepen puts copies in place of what a value refers to.
func deepen(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		to := reflect.New(v.Type().Elem())
		to.Elem().Set(v.Elem())
		deepen(to.Elem())
		v.Set(to)
	case reflect.Struct:
		for i := range v.NumField() {
			deepen(v.Field(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		to := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(to, v)
		for i := range to.Len() {
			if !refers(to.Type().Elem().Kind()) {
				break
			}
			deepen(to.Index(i))
		}
		v.Set(to)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		to := reflect.MakeMapWithSize(v.Type(), v.Len())
		for key, value := range v.Seq2() {
			item := reflect.New(value.Type()).Elem()
			item.Set(value)
			deepen(item)
			to.SetMapIndex(key, item)
		}
		v.Set(to)
	}
}

// refers reports whether values of a kind may refer to others.
func refers(k reflect.Kind) bool {
	return k == reflect.Pointer || k == reflect.Struct || k == reflect.Slice || k == reflect.Map
}
