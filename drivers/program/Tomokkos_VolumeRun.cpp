// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Checkpoint.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_Slices.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <utility>

namespace Tomokkos {

namespace {

/// Returns \p images on the host. On a GPU they are copied to \p buffer, beside kernels of other
/// instances than \p copies; on a host they are already there.
template <class ExecutionSpace, class Scalar>
std::span<Scalar> images_on_host(
    const ExecutionSpace& copies,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& images,
    std::vector<Scalar>& buffer) {
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    return {images.data(), images.extent(0)};
  } else {
    buffer.resize(images.extent(0));
    Kokkos::deep_copy(copies, VectorView<Scalar, Kokkos::HostSpace>(buffer.data(), buffer.size()),
                      images);
    copies.fence();
    return buffer;
  }
}

/// Instance of a GPU for copies beside the kernels of \p exec. A host copies nothing.
template <class ExecutionSpace>
ExecutionSpace instance_for_copies(const ExecutionSpace& exec) {
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    return exec;
  else
    return Impl::partition_space(exec, 1).front();
}

/// Says how to continue with slice \p next.
std::string how_to_continue(int next) {
  return can_write_npz() ? "--resume continues with slice " + std::to_string(next)
                         : "to continue them, build the program with libzip";
}

/// Adds a note to an error.
[[noreturn]] void rethrow_with(const std::string& note) {
  try {
    throw;
  } catch (const MemoryError& error) {
    throw MemoryError(error.what() + note);
  } catch (const OutputError& error) {
    throw OutputError(error.what() + note);
  } catch (const ConfigError& error) {
    throw InputError(error.what() + note);
  } catch (const InputError& error) {
    throw InputError(error.what() + note);
  } catch (const DimensionMismatch& error) {
    throw InputError(error.what() + note);
  } catch (const Error& error) {
    throw Error(error.what() + note);
  }
}

/// Reads, solves and writes the slabs of a volume, and keeps its progress in checkpoints.
template <class ExecutionSpace, class Scalar>
class VolumeRun final : public SlicesObserver<ExecutionSpace, Scalar> {
 public:
  using Base = SlicesObserver<ExecutionSpace, Scalar>;
  using memory_space = typename ExecutionSpace::memory_space;
  using typename Base::ConstColumns;
  using typename Base::Images;

  explicit VolumeRun(Reconstruction<ExecutionSpace, Scalar>& parts)
      : parts_(parts),
        run_(parts.run),
        slabs_(*parts.slabs),
        shape_{static_cast<std::size_t>(slabs_.count),
               static_cast<std::size_t>(parts.input.volume.rows),
               static_cast<std::size_t>(parts.input.volume.columns)},
        copies_(instance_for_copies(parts.run.exec())) {
    if (parts.input.found_center) center_ = parts.input.found_center->center;
    volume_.slices = slabs_.count;
    volume_.smallest = std::numeric_limits<double>::infinity();
    volume_.largest = -volume_.smallest;
  }

  int solve(const SlicesSettings& settings, SolveWatch<ExecutionSpace, Scalar> watch) {
    watch.position = [this](int iteration) { return position(iteration); };
    run_.watch(parts_.system->A, std::move(watch));
    const ExecutionSpace& exec = run_.exec();
    RunInput& input = parts_.input;
    Progress& progress = run_.progress();
    // The middle slice, which has been read for the geometry, identifies the data.
    read_terms(parts_.solver, parts_.natural().rays, input);
    const std::vector<Scalar> middle(input.data.begin(), input.data.end());
    run_.checkpoints().set_data(middle, input.multiplicative, input.background);
    resume();
    const MachineFacts machine = machine_facts<ExecutionSpace, Scalar>(exec);
    size_ = slab_size(slabs_, machine,
                      bytes_of_slice_in_slab(parts_.task, machine, parts_.kept(), parts_.natural(),
                                             input.missing_values > 0),
                      parts_.task.needs.iterations);
    parts_.system->A.reserve(exec, static_cast<int>(slabs_.solved(size_)));
    input.notes.set("slab", size_);
    progress.message("slabs of " + std::to_string(size_) + " of " + std::to_string(slabs_.count) +
                     " slices");
    if (const auto line = describe_truncation(input)) progress.message(*line);
    on_disk_ = volume_.done;
    if (volume_.done > 0) {
      open_files();
      check_files();
      check_data();
    }
    progress.begin(run_.solver_name() + " slices", slabs_.count, volume_.done);
    solve_all(settings);
    return finish();
  }

  /// Begins to write a slab.
  bool slices_end(const SolveOutcome& outcome, const ConstColumns& x, Images& images) override {
    SolveOutcome slab = outcome;
    slab.results.resize(static_cast<std::size_t>(read_));
    if (std::any_of(slab.results.begin(), slab.results.end(),
                    [](const auto& r) { return r.reason == StopReason::interrupted; }))
      return false;
    const RunInput& input = parts_.input;
    find_unexplained(parts_.task.needs, input, {}, slab.results, parts_.unexplained);
    all_.add(slab);
    run_.clock().begin("write");
    finish_writing();
    const Ordinal begin = volume_.done;
    if (begin == 0) {
      prepare_folder();
      open_files();
    }
    const auto pixels = static_cast<std::size_t>(parts_.natural().pixels);
    const std::size_t solved = pixels * static_cast<std::size_t>(input.slices);
    if (images_.extent(0) < solved)
      images_ = allocate<Vector<Scalar, memory_space>>(run_.exec(), "Tomokkos::VolumeRun::images",
                                                       solved);
    Slices<ExecutionSpace, Scalar>::put_in_turn(run_.exec(), as_vector(x), input.slices,
                                                parts_.system->order.columns,
                                                {images_.data(), solved});
    volume_.done = begin + read_;
    const VectorView<Scalar, memory_space> written(images_.data(),
                                                   pixels * static_cast<std::size_t>(read_));
    SolveProgress progress{parts_.solver.iterations(), all_.results,
                           std::vector<bool>(all_.results.size(), false)};
    writing_ = std::async(
        std::launch::async, [this, written, begin, kept = std::move(images), volume = volume_,
                             progress = std::move(progress)]() mutable {
          std::vector<Scalar> buffer;
          const std::span<Scalar> images =
              images_on_host<ExecutionSpace, Scalar>(copies_, written, buffer);
          kept.keep_start(images);
          const auto first = static_cast<std::size_t>(begin);
          run_.output().template write_pictures_of_slab<Scalar>("reconstruction", images, shape_,
                                                                first);
          for (const auto& file : files_) {
            const std::vector<double> added = file->write(first, images);
            auto& all = fingerprints_[file->destination().extension()];
            all.insert(all.end(), added.begin(), added.end());
          }
          if (!can_write_npz()) return;
          volume.written = fingerprints_;
          set_volume(progress, volume);
          const std::vector<std::map<int, double>> errors(progress.results.size());
          run_.checkpoints().write(std::move(progress), errors, {Scalar(0)}, {1});
        });
    return true;
  }

 private:
  /// Slices that correspond to the iterations of a slab, for the progress display.
  int position(int iteration) const {
    const int slices = std::min(parts_.input.slices, slabs_.count - volume_.done);
    return volume_.done + static_cast<int>(static_cast<std::int64_t>(slices) * iteration /
                                           std::max(1, parts_.solver.iterations()));
  }

  /// Takes up the slices of the run that is resumed, with their results.
  void resume() {
    auto& saved = run_.checkpoints().resumed();
    if (!saved) return;
    const std::string file = run_.checkpoints().file().string();
    const std::optional<VolumeProgress> progress = volume_of(saved->progress);
    if (progress->slices != slabs_.count)
      throw InputError(file + ": continues a volume of " + std::to_string(progress->slices) +
                       " slices, this run has " + std::to_string(slabs_.count));
    if (saved->progress.iteration != parts_.solver.iterations())
      throw InputError(file + ": its slices have " + std::to_string(saved->progress.iteration) +
                       " iterations, but solver.iterations is " +
                       std::to_string(parts_.solver.iterations()));
    all_.results = std::move(saved->progress.results);
    const auto require_all = [&](const char* what, std::size_t count) {
      require_equal(what + (" in " + file), static_cast<long long>(count), "its slices",
                    progress->done);
    };
    require_all("results", all_.results.size());
    require_all("fingerprints of data", progress->data.size());
    for (const auto& [extension, fingerprints] : progress->written)
      require_all("fingerprints of images", fingerprints.size());
    volume_ = *progress;
    saved.reset();
    run_.progress().message("resumed at slice " + std::to_string(volume_.done) + " of " +
                            std::to_string(slabs_.count));
  }

  /// Creates the files, or continues those of an earlier run after the slices that are complete.
  void open_files() {
    for (const ImageFormat& format : image_formats())
      if (parts_.output.writes(format) && format.writer.slices != nullptr)
        files_.push_back(std::make_unique<SliceFile<Scalar>>(
            parts_.output.directory / ("reconstruction" + std::string(format.extension())),
            *format.writer.slices, shape_, static_cast<std::size_t>(volume_.done)));
  }

  /// Checks that the files hold the slices that the earlier run has written. Cost: reads these
  /// slices, which is little beside the time that it took to solve them.
  void check_files() {
    for (const auto& file : files_) {
      const std::string extension = file->destination().extension();
      const auto written = volume_.written.find(extension);
      if (written == volume_.written.end())
        throw InputError(file->partial().string() +
                         ": the earlier run has not written this file; leave its format out of "
                         "output.image");
      const std::vector<double>& known = fingerprints_[extension] = written->second;
      std::vector<std::size_t> changed;
      for (std::size_t slice = 0; slice < known.size(); ++slice)
        if (file->fingerprint(slice) != known[slice]) changed.push_back(slice);
      if (!changed.empty())
        throw InputError(file->partial().string() + ": " + name_slices(changed) +
                         (changed.size() > 1 ? " are" : " is") +
                         " not as the earlier run has written; restore the file, or run with "
                         "--overwrite to start again");
    }
  }

  /// Checks that the data of the slices that are complete are those that were read for them. Cost:
  /// reads these data, a slab at a time.
  void check_data() const {
    std::vector<std::size_t> changed;
    for (Ordinal begin = 0; begin < volume_.done; begin += size_) {
      InterruptGuard::check();
      const Ordinal count = std::min(size_, volume_.done - begin);
      const std::vector<double> found = fingerprints_of_slices(read_input(
          parts_.problem, parts_.settings, parts_.use, slab_of(slabs_, begin, count, center_)));
      for (std::size_t j = 0; j < found.size(); ++j)
        if (const auto slice = static_cast<std::size_t>(begin) + j; found[j] != volume_.data[slice])
          changed.push_back(slice);
    }
    if (!changed.empty())
      throw InputError(run_.checkpoints().file().string() + ": the data of " +
                       name_slices(changed) +
                       " have changed since the earlier run has read them; restore them, or run "
                       "with --overwrite to start again");
  }

  /// Warns of suspicions of a kind that no slab before had.
  void warn_of_new_suspicions(RunInput& slab) {
    std::vector<Suspicion>& known = parts_.input.suspicions;
    std::erase_if(slab.suspicions, [&](const Suspicion& suspicion) {
      return std::any_of(known.begin(), known.end(),
                         [&](const Suspicion& other) { return other.kind == suspicion.kind; });
    });
    warn_of_suspicions(parts_.settings, slab);
    for (Suspicion& suspicion : slab.suspicions) known.push_back(std::move(suspicion));
  }

  void begin_reading(Ordinal begin) {
    if (begin >= slabs_.count) return;
    next_ = std::async(
        std::launch::async,
        [&parts = parts_, slabs = slabs_,
         slices = slab_of(slabs_, begin, std::min(size_, slabs_.count - begin), center_)] {
          return read_slab<Scalar>(parts.problem, parts.settings, parts.use, slabs, slices);
        });
  }

  /// Replaces the data by those of another slab.
  void take(ReadSlab<Scalar>&& slab) {
    RunInput& read = slab.input;
    RunInput& input = parts_.input;
    read_ = read.slices;
    input.data = std::move(read.data);
    input.slices = slabs_.solved(read.slices);
    input.repeated_slices = input.slices - read.slices;
    input.slab_begin = read.slab_begin;
    input.dead_elements = std::move(read.dead_elements);
    columns_ = std::move(slab.columns);
    counted_ = std::move(slab.counted_rays);
    warn_of_new_suspicions(read);
    parts_.print_filled(read.filled);
    input.clamped = read.clamped;
    input.missing_values = read.missing_values;
    volume_.clamped += static_cast<double>(read.clamped);
    volume_.missing += static_cast<double>(read.missing_values);
    volume_.clamped_negative += slab.clamped_negative;
    volume_.smallest = std::min(volume_.smallest, slab.smallest);
    volume_.largest = std::max(volume_.largest, slab.largest);
    volume_.data.insert(volume_.data.end(), slab.fingerprints.begin(), slab.fingerprints.end());
    parts_.errors.set_by_slice({});
    release_host_memory();
  }

  /// Returns the next slab, and begins to read the one after it.
  std::optional<SliceData<Scalar>> next_slab() {
    if (volume_.done == slabs_.count) return std::nullopt;
    run_.clock().begin("input");
    take(next_.get());
    begin_reading(volume_.done + read_);
    run_.begin("data");
    const RunInput& input = parts_.input;
    // The size of a slab has been chosen to fit, but other slices may lack more rays.
    require_room_for_weights(
        parts_.task, machine_facts<ExecutionSpace, Scalar>(run_.exec()), parts_.kept(),
        input.missing_values > 0 ? count_gap_patterns(input.data, input.slices) : 1);
    SliceData<Scalar> data = slices_of_input(parts_);
    data.columns = columns_;
    data.facts.counted_rays = counted_;
    return data;
  }

  /// Waits until the previous slab is on the disk.
  void finish_writing() {
    if (!writing_.valid()) return;
    writing_.get();
    on_disk_ = volume_.done;
  }

  /// Solves the slabs that are left.
  void solve_all(const SlicesSettings& settings) {
    try {
      try {
        begin_reading(volume_.done);
        run_.guard([&] {
          solve_slices<ExecutionSpace, Scalar>(
              run_.exec(), parts_.task, *parts_.system, settings, [this] { return next_slab(); },
              {&parts_.errors, &run_, this}, run_.outcome(), parts_.ranks);
        });
      } catch (const Interrupted&) {
        // Between two slabs; those before it are kept.
      }
      finish_writing();
    } catch (const Error&) {
      run_.progress().end();
      try {
        finish_writing();
      } catch (const Error&) {
        // The first error is reported; the slab that could not be written is not counted.
      }
      if (on_disk_ == 0) throw;
      rethrow_with("; slices 0 to " + std::to_string(on_disk_ - 1) + " of " +
                   std::to_string(slabs_.count) + " are complete in " +
                   parts_.output.directory.string() + ": when this is repaired, " +
                   how_to_continue(on_disk_));
    }
    run_.progress().end();
  }

  /// Commits or lists the files.
  int finish() {
    if (volume_.done == 0) throw Interrupted{};
    run_.begin_write();
    note_volume();
    RunOutput& output = run_.output();
    if (volume_.done == slabs_.count) {
      bool are_complete = true;
      for (const auto& file : files_)
        are_complete &= output.write_by(file->destination(), [&] { file->commit(); });
      std::error_code ignored;
      if (are_complete) std::filesystem::remove(run_.checkpoints().file(), ignored);
      return exit_status_of(all_.results, true);
    }
    for (const auto& file : files_) output.add_file(file->partial());
    if (can_write_npz()) output.add_file(run_.checkpoints().file());
    run_.progress().message(std::to_string(volume_.done) + " of " + std::to_string(slabs_.count) +
                            " slices are complete; " + how_to_continue(volume_.done));
    return exit_interrupted;
  }

  /// Prepares the folder for new files.
  void prepare_folder() const {
    const std::filesystem::path& file = run_.checkpoints().file();
    run_.output().make_folder();
    // An older checkpoint must not count slices in the new files.
    require_replaceable(file, checkpoint_output);
    std::error_code error;
    std::filesystem::remove(file, error);
    if (error)
      throw OutputError("cannot remove '" + file.string() +
                        "', the checkpoint of an earlier run: " + error.message());
  }

  /// Puts the outcome of all slabs and what is known of their data where the report looks for them.
  void note_volume() {
    if (all_.iterations > 0)
      all_.traffic.iteration =
          static_cast<std::size_t>(all_.moved_bytes / static_cast<double>(all_.iterations));
    run_.outcome() = all_;
    Description& notes = parts_.input.notes;
    note_suspicions(parts_.input);
    notes.set("values",
              describe_map({{"smallest", volume_.smallest}, {"largest", volume_.largest}}, true));
    notes.set("complete_slices", volume_.done);
    notes.set("clamped_values", static_cast<long long>(volume_.clamped));
    if (volume_.clamped_negative > 0)
      notes.set("clamped_negative_values", static_cast<long long>(volume_.clamped_negative));
    if (volume_.missing > 0)
      notes.set("missing",
                describe_map({{"values_left_out", static_cast<long long>(volume_.missing)}}, true));
    parts_.errors.set_by_slice(
        typename PhantomErrors<ExecutionSpace, Scalar>::BySlice(all_.results.size()));
  }

  Reconstruction<ExecutionSpace, Scalar>& parts_;
  Run<ExecutionSpace, Scalar>& run_;
  SlabPlan slabs_;
  Ordinal size_ = 0;  // slices of a slab
  Ordinal read_ = 0;  // slices of the current slab that were read; the others repeat the last one
  std::optional<double> center_;  // rotation centre found in the middle slice
  VolumeProgress volume_;         // finished slabs
  SolveOutcome all_;              // of the finished slabs
  int on_disk_ = 0;               // slices that are on the disk
  std::array<std::size_t, 3> shape_{};
  std::vector<std::unique_ptr<SliceFile<Scalar>>> files_;  // partial until they are committed
  // Fingerprint of each slice in a file, by the extension of the file.
  std::map<std::string, std::vector<double>> fingerprints_;
  std::vector<Scalar> columns_;          // the data of the current slab, side by side
  std::vector<double> counted_;          // its rays
  Vector<Scalar, memory_space> images_;  // those that are being written
  ExecutionSpace copies_;                // copies them beside the kernels
  // Joined by their destructors, before the files and the images.
  std::future<ReadSlab<Scalar>> next_;
  std::future<void> writing_;
};

}  // namespace

template <class ExecutionSpace, class Scalar>
int solve_volume(Reconstruction<ExecutionSpace, Scalar>& parts, const SlicesSettings& settings,
                 SolveWatch<ExecutionSpace, Scalar> watch) {
  return VolumeRun<ExecutionSpace, Scalar>(parts).solve(settings, std::move(watch));
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                        \
  template int solve_volume(Reconstruction<SPACE, SCALAR>&, const SlicesSettings&, \
                            SolveWatch<SPACE, SCALAR>);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
